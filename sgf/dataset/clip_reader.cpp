#include "sgf/dataset/clip_reader.h"

#include "sgf/core/error.h"
#include "sgf/media/fit_pictures.h"
#include "sgf/media/video_tensor.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {

ClipReader::ClipReader(const std::filesystem::path& video, const ClipCut& cut)
    : video_(video), cut_(cut), source_(open_frames(video)), frames_(*source_, cut.fps) {}

// Returns whether there are enough frames for a clip.
bool ClipReader::fill() {
  while (static_cast<int64_t>(pictures_.size()) < cut_.frames) {
    const std::optional<RgbImage> image = frames_.next();
    if (!image) return false;
    pictures_.push_back(fit_pictures(tensor_of(*image).unsqueeze(0), {.height = cut_.height, .width = cut_.width}));
  }
  return true;
}

at::Tensor ClipReader::next() {
  if (given_ > 0 && cut_.stride == 0) return {};
  for (int64_t past = given_ > 0 ? cut_.stride : 0; past > 0; --past) {
    if (pictures_.empty() && !frames_.next()) return {};
    if (!pictures_.empty()) pictures_.pop_front();
  }
  const bool is_whole = fill();
  SGF_CHECK(is_whole || given_ > 0, "{}: is too short: {} frames at {} per second, but a clip has {}", video_.string(),
            pictures_.size(), cut_.fps, cut_.frames);
  if (!is_whole) return {};
  ++given_;
  return at::cat(std::vector<at::Tensor>(pictures_.begin(), pictures_.end()));
}

}  // namespace sgf
