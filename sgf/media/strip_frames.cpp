#include "sgf/media/strip_frames.h"

#include "sgf/core/error.h"

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

constexpr double kTimeRounding = 1e-6;  // of a frame: 0.3 s at 10 frames a second is frame 3

double frame_rate(const FrameSource& frames, const StripSource& source) {
  const double fps = frames.fps().value_or(source.folder_fps);
  SGF_CHECK(fps > 0 && std::isfinite(fps), "{}: frames per second must be positive, got {}", source.video.string(),
            fps);
  return fps;
}

// The contribution of source pixels to one output pixel, along one line.
struct AreaShare {
  int64_t first = 0;
  std::vector<double> weights;
};

std::vector<AreaShare> area_shares(int64_t from, int64_t to) {
  std::vector<AreaShare> shares(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    const double begin = static_cast<double>(i * from) / static_cast<double>(to);
    const double end = static_cast<double>((i + 1) * from) / static_cast<double>(to);
    AreaShare& share = shares[static_cast<size_t>(i)];
    share.first = static_cast<int64_t>(begin);
    const int64_t last =
        std::min(from, std::max(share.first + 1, static_cast<int64_t>(std::ceil(end - kTimeRounding))));
    for (int64_t p = share.first; p < last; ++p)
      share.weights.push_back((std::min(end, static_cast<double>(p + 1)) - std::max(begin, static_cast<double>(p))) /
                              (end - begin));
  }
  return shares;
}

uint8_t area_mean(const RgbImage& image, const AreaShare& rows, const AreaShare& columns, int64_t colour) {
  double sum = 0, weight = 0;
  for (size_t r = 0; r < rows.weights.size(); ++r) {
    for (size_t c = 0; c < columns.weights.size(); ++c) {
      const int64_t pixel =
          (rows.first + static_cast<int64_t>(r)) * image.width + columns.first + static_cast<int64_t>(c);
      const double share = rows.weights[r] * columns.weights[c];
      sum += share * image.pixels[static_cast<size_t>(3 * pixel + colour)];
      weight += share;
    }
  }
  return static_cast<uint8_t>(std::lround(sum / weight));
}

}  // namespace

RgbImage resize_by_area(const RgbImage& image, int64_t height, int64_t width) {
  if (image.height == height && image.width == width) return image;
  const std::vector<AreaShare> rows = area_shares(image.height, height), columns = area_shares(image.width, width);
  RgbImage resized{height, width, {}};
  resized.pixels.reserve(static_cast<size_t>(3 * height * width));
  for (const AreaShare& row : rows)
    for (const AreaShare& column : columns)
      for (int64_t colour = 0; colour < 3; ++colour) resized.pixels.push_back(area_mean(image, row, column, colour));
  return resized;
}

StripRow read_strip_row(const StripSource& source, const std::vector<double>& times, int64_t height) {
  const std::unique_ptr<FrameSource> frames = open_frames(source.video);
  const double fps = frame_rate(*frames, source);
  StripRow row{.name = source.name, .height = height, .pictures = {}};
  row.width = std::max<int64_t>(
      1, std::lround(static_cast<double>(height * frames->width()) / static_cast<double>(frames->height())));
  int64_t read = 0;
  std::optional<RgbImage> current;  // frame read - 1
  for (const double time : times) {
    const auto wanted = static_cast<int64_t>(time * fps + kTimeRounding);
    while (read <= wanted) {
      std::optional<RgbImage> next = frames->next();
      if (!next) break;
      current = std::move(next);
      ++read;
    }
    const bool is_there = read > wanted || (read == wanted && time * fps <= static_cast<double>(read) + kTimeRounding);
    row.pictures.push_back(is_there && current ? std::optional(resize_by_area(*current, height, row.width))
                                               : std::nullopt);
  }
  row.seconds = static_cast<double>(read) / fps;
  return row;
}

double time_of_last_picture(const StripSource& source) {
  const std::unique_ptr<FrameSource> frames = open_frames(source.video);
  int64_t count = frames->frame_count().value_or(0);
  if (count == 0)
    while (frames->next()) ++count;
  return static_cast<double>(count - 1) / frame_rate(*frames, source);
}

}  // namespace sgf
