#include "sgf/media/video_tensor.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace sgf {

std::vector<RgbImage> images_of(const at::Tensor& video) {
  SGF_CHECK(video.dim() == 4 && video.size(1) == 3 && video.is_floating_point(),
            "frames must be [F, 3, H, W] of a float type, got [{}] of {}",
            fmt::join(video.sizes().begin(), video.sizes().end(), ", "), toString(video.scalar_type()));
  const at::Tensor bytes = (video.detach().to(at::kFloat).clamp(0, 1) * 255 + 0.5)
                               .floor()
                               .to(at::kByte)
                               .permute({0, 2, 3, 1})
                               .to(at::kCPU)
                               .contiguous();
  std::vector<RgbImage> images;
  for (int64_t f = 0; f < bytes.size(0); ++f) {
    const uint8_t* first = bytes.data_ptr<uint8_t>() + f * bytes.stride(0);
    images.push_back({video.size(2), video.size(3), {first, first + bytes.stride(0)}});
  }
  return images;
}

at::Tensor tensor_of(const RgbImage& image) {
  const at::Tensor bytes = at::empty({image.height, image.width, 3}, at::kByte);
  std::memcpy(bytes.data_ptr<uint8_t>(), image.pixels.data(), image.pixels.size());
  return bytes.permute({2, 0, 1}).to(at::kFloat).div_(255).contiguous();
}

at::Tensor enlarge(const at::Tensor& video, int64_t scale) {
  return video.repeat_interleave(scale, -1).repeat_interleave(scale, -2);
}

at::Tensor shrink(const at::Tensor& video, int64_t scale) { return scale == 1 ? video : at::avg_pool2d(video, scale); }

void add_frames(VideoWriter& writer, const at::Tensor& video) {
  for (const RgbImage& image : images_of(video)) writer.add(image);
}

void write_png_frames(const std::filesystem::path& folder, const at::Tensor& video, int64_t first) {
  for (const RgbImage& image : images_of(video)) write_png(folder / fmt::format("frame_{:05}.png", first++), image);
}

bool is_png_frame(const std::string& name) {
  constexpr std::string_view kBegin = "frame_", kEnd = ".png";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
  const std::string digits = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  const bool is_number = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return is_number && (digits.size() == 5 || (digits.size() > 5 && digits.front() != '0'));
}

}  // namespace sgf
