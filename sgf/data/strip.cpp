#include "sgf/data/strip.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

namespace sgf {
namespace {

constexpr int64_t kGap = 2;  // white pixels between frames

// First and last frame, and as many between at equal distances.
std::vector<int64_t> shown_frames(int64_t frames, int64_t columns) {
  const int64_t shown = std::min(frames, columns);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < shown; ++i) out.push_back(shown == 1 ? 0 : i * (frames - 1) / (shown - 1));
  return out;
}

}  // namespace

RgbImage make_strip(const at::Tensor& video, const StripSettings& settings) {
  check(video.dim() == 4 && video.size(1) == 3 && video.size(0) > 0, "data",
        "a strip is made of a video [F, 3, H, W], got {} dimensions", video.dim());
  const int64_t scale = std::max<int64_t>(1, (settings.height + video.size(2) - 1) / video.size(2));
  std::vector<at::Tensor> pictures;
  for (const int64_t frame : shown_frames(video.size(0), settings.columns)) {
    const at::Tensor picture = video[frame].detach().to(at::kCPU, at::kFloat).clamp(0, 1);
    pictures.push_back(
        at::pad(picture.repeat_interleave(scale, 1).repeat_interleave(scale, 2), {0, kGap}, "constant", 1));
  }
  const at::Tensor row = at::cat(pictures, 2).slice(2, 0, -kGap);
  const at::Tensor bytes = (row * 255).round().to(at::kByte).permute({1, 2, 0}).contiguous();
  RgbImage image{bytes.size(0), bytes.size(1), std::vector<uint8_t>(static_cast<size_t>(bytes.numel()))};
  std::memcpy(image.pixels.data(), bytes.const_data_ptr<uint8_t>(), image.pixels.size());
  return image;
}

}  // namespace sgf
