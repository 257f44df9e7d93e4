#include "sgf/media/picture_strip.h"

#include "sgf/core/error.h"
#include "sgf/media/video_tensor.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

constexpr int64_t kStripGap = 2;

}  // namespace

std::vector<int64_t> strip_moments(int64_t frames, int64_t columns) {
  std::vector<int64_t> moments(static_cast<size_t>(std::max<int64_t>(1, std::min(frames, columns))));
  for (size_t i = 0; i < moments.size(); ++i) {
    const double share = moments.size() > 1 ? static_cast<double>(i) / static_cast<double>(moments.size() - 1) : 0;
    moments[i] = std::lround(share * static_cast<double>(frames - 1));
  }
  return moments;
}

RgbImage picture_strip(const std::vector<at::Tensor>& rows, int64_t scale) {
  SGF_CHECK(!rows.empty() && scale > 0, "a strip needs at least one video and a scale of at least 1, got {} and {}",
            rows.size(), scale);
  int64_t columns = 0;
  for (const at::Tensor& row : rows) columns = std::max(columns, row.size(0));
  const int64_t height = rows[0].size(2) * scale, width = rows[0].size(3) * scale;
  const int64_t lines = static_cast<int64_t>(rows.size());
  at::Tensor strip =
      at::ones({1, 3, lines * (height + kStripGap) - kStripGap, columns * (width + kStripGap) - kStripGap});
  for (int64_t r = 0; r < lines; ++r) {
    const at::Tensor pictures = enlarge(rows[static_cast<size_t>(r)].to(at::kCPU, at::kFloat), scale);
    for (int64_t c = 0; c < pictures.size(0); ++c) {
      const int64_t top = r * (height + kStripGap), left = c * (width + kStripGap);
      strip[0].slice(1, top, top + height).slice(2, left, left + width).copy_(pictures[c]);
    }
  }
  return images_of(strip).front();
}

RgbImage strip_of_videos(const std::vector<at::Tensor>& videos, int64_t columns, int64_t scale) {
  std::vector<at::Tensor> rows;
  for (const at::Tensor& video : videos) {
    const at::Tensor moments = at::tensor(strip_moments(video.size(0), columns), at::kLong).to(video.device());
    rows.push_back(video.index_select(0, moments));
  }
  return picture_strip(rows, scale);
}

}  // namespace sgf
