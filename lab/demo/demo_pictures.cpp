#include "lab/demo/demo_pictures.h"

#include "sgf/media/picture_strip.h"
#include "sgf/media/strip_figure.h"
#include "sgf/media/strip_letters.h"
#include "sgf/media/video_tensor.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {
namespace {

constexpr int64_t kVideoScale = 4;   // 48 pixels become 192
constexpr int64_t kRateFactor = 23;  // a page of twelve such videos has some MB
constexpr int64_t kGapPixels = 2, kBarPixels = 2;
constexpr double kGapGrey = 0.1, kTrainedGrey = 0.95, kLaterGrey = 0.55;

constexpr int64_t kColumns = 8, kPictureScale = 3, kLetterScale = 2, kMargin = 10;

at::Tensor field(int64_t frames, int64_t height, int64_t width, double grey) {
  return at::full({frames, 3, height, width}, grey, at::kFloat);
}

// [F, 3, kBarPixels, width]: grows from left to right, brighter within the training length.
at::Tensor time_bar(int64_t frames, int64_t trained, int64_t width) {
  at::Tensor bar = field(frames, kBarPixels, width, kGapGrey);
  for (int64_t frame = 0; frame < frames; ++frame) {
    const int64_t now = (frame + 1) * width / frames, bright = std::min(now, trained * width / frames);
    bar[frame].slice(2, 0, bright).fill_(kTrainedGrey);
    bar[frame].slice(2, bright, now).fill_(kLaterGrey);
  }
  return bar;
}

at::Tensor put_together(const SideBySide& all) {
  const int64_t frames = all.videos.front().size(0), height = all.videos.front().size(2);
  std::vector<at::Tensor> columns;
  for (const at::Tensor& video : all.videos) {
    if (!columns.empty()) columns.push_back(field(frames, height, kGapPixels, kGapGrey));
    columns.push_back(video);
  }
  const at::Tensor pictures = at::cat(columns, 3);
  return at::cat({pictures, field(frames, kGapPixels, pictures.size(3), kGapGrey),
                  time_bar(frames, all.train_frames, pictures.size(3))},
                 2);
}

// Enlarged piece by piece: a whole video would be hundreds of MB.
bool write_enlarged(const std::filesystem::path& path, const at::Tensor& video, double fps) {
  constexpr int64_t kPieceFrames = 32;
  VideoWriter writer(
      path,
      {.width = kVideoScale * video.size(3), .height = kVideoScale * video.size(2), .fps = fps, .crf = kRateFactor});
  for (const at::Tensor& piece : video.split(kPieceFrames)) add_frames(writer, enlarge(piece, kVideoScale));
  writer.finish();
  return writer.is_h264();
}

RgbImage white_image(int64_t height, int64_t width) {
  return {height, width, std::vector<uint8_t>(static_cast<size_t>(3 * height * width), 255)};
}

RgbImage prompt_line(const std::string& prompt, int64_t width) {
  RgbImage image = white_image(kLetterHeight * kLetterScale + kMargin, width);
  draw_text(image, prompt, kMargin, kMargin, kLetterScale, 20);
  return image;
}

StripRow moments_of(const std::string& name, const at::Tensor& video, const std::vector<int64_t>& moments) {
  const at::Tensor chosen = enlarge(video.index_select(0, at::tensor(moments, at::kLong)), kPictureScale);
  StripRow row{.name = name, .width = chosen.size(3), .height = chosen.size(2), .pictures = {}};
  for (RgbImage& image : images_of(chosen)) row.pictures.emplace_back(std::move(image));
  return row;
}

}  // namespace

bool write_together(const std::filesystem::path& path, const SideBySide& all) {
  return write_enlarged(path, put_together(all), all.fps);
}

void write_alone(const std::filesystem::path& path, const at::Tensor& video, double fps) {
  write_enlarged(path, video, fps);
}

RgbImage draw_moments(const SideBySide& all) {
  const std::vector<int64_t> moments = strip_moments(all.videos.front().size(0), kColumns);
  StripFigure figure;
  for (const int64_t moment : moments) figure.times.push_back(static_cast<double>(moment) / all.fps);
  for (size_t i = 0; i < all.videos.size(); ++i)
    figure.rows.push_back(moments_of(all.names[i], all.videos[i], moments));
  const RgbImage strips = draw_strips(figure);
  return stack_images({prompt_line(all.prompt, strips.width), strips});
}

RgbImage stack_images(const std::vector<RgbImage>& images) {
  int64_t height = 0, width = 0;
  for (const RgbImage& image : images) height += image.height, width = std::max(width, image.width);
  RgbImage stack = white_image(height, width);
  auto row = stack.pixels.begin();
  for (const RgbImage& image : images)
    for (int64_t y = 0; y < image.height; ++y, row += 3 * width)
      std::copy_n(image.pixels.begin() + 3 * y * image.width, 3 * image.width, row);
  return stack;
}

}  // namespace sgf
