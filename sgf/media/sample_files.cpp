#include "sgf/media/sample_files.h"

#include "sgf/media/picture_strip.h"
#include "sgf/media/video_tensor.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {

void write_sample(const std::filesystem::path& stem, const at::Tensor& video, double fps) {
  constexpr int64_t kColumns = 7, kHeight = 64;
  const int64_t scale = std::max<int64_t>(1, (kHeight + video.size(2) - 1) / video.size(2));
  write_png(std::filesystem::path(stem).concat(".png"), strip_of_videos({video}, kColumns, scale));
  if (!can_write_videos()) return;
  const at::Tensor large = enlarge(video, scale);
  VideoWriter writer(std::filesystem::path(stem).concat(".mp4"),
                     {.width = large.size(3), .height = large.size(2), .fps = fps});
  add_frames(writer, large);
  writer.finish();
}

}  // namespace sgf
