#include "sgf/media/strip_figure.h"

#include "sgf/core/error.h"
#include "sgf/media/strip_letters.h"

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

constexpr int64_t kGap = 4, kMargin = 10,
                  kLongestFigureSide = 20000;  // viewers have trouble with longer sides
constexpr uint8_t kInk = 20, kSoftInk = 110, kField = 232;

// The layout, in pixels.
struct StripPlan {
  int64_t scale = 2;  // of letters
  int64_t names_width = 0, head_height = 0, column_width = 0, row_height = 0;
  int64_t width = 0, height = 0;

  int64_t left_of(size_t column) const {
    return kMargin + names_width + static_cast<int64_t>(column) * (column_width + kGap);
  }
  int64_t top_of(size_t row) const { return kMargin + head_height + static_cast<int64_t>(row) * (row_height + kGap); }
};

StripPlan plan_strips(const StripFigure& figure) {
  StripPlan plan;
  for (const StripRow& row : figure.rows) {
    plan.column_width = std::max(plan.column_width, row.width);
    plan.row_height = std::max(plan.row_height, row.height);
  }
  plan.scale = std::max<int64_t>(1, std::min<int64_t>(4, plan.row_height / 72));
  for (const StripRow& row : figure.rows)
    plan.names_width = std::max(plan.names_width, text_width(row.name, plan.scale));
  if (plan.names_width > 0) plan.names_width += kMargin;
  plan.head_height = kLetterHeight * plan.scale + kGap;
  for (const double time : figure.times)
    plan.column_width = std::max(plan.column_width, text_width(time_label(time), plan.scale));
  plan.width = plan.left_of(figure.times.size()) - kGap + kMargin;
  plan.height = plan.top_of(figure.rows.size()) - kGap + kMargin;
  SGF_CHECK(
      plan.width <= kLongestFigureSide && plan.height <= kLongestFigureSide,
      "a figure of {} x {} pixels is too large, expected at most {} per side; use fewer times or a smaller --height",
      plan.width, plan.height, kLongestFigureSide);
  return plan;
}

void paste(RgbImage& image, const RgbImage& picture, int64_t x, int64_t y) {
  for (int64_t row = 0; row < picture.height; ++row)
    std::copy_n(picture.pixels.begin() + 3 * row * picture.width, 3 * picture.width,
                image.pixels.begin() + 3 * ((y + row) * image.width + x));
}

void draw_centred(RgbImage& image, std::string_view text, int64_t x, int64_t width, int64_t y, int64_t scale,
                  uint8_t grey) {
  draw_text(image, text, x + (width - text_width(text, scale)) / 2, y, scale, grey);
}

void draw_gap(RgbImage& image, const StripRow& row, int64_t x, int64_t y, int64_t scale) {
  const RgbImage field{row.height, row.width,
                       std::vector<uint8_t>(static_cast<size_t>(3 * row.height * row.width), kField)};
  paste(image, field, x, y);
  const std::string words = "ends at " + time_label(row.seconds);
  while (scale > 1 && text_width(words, scale) > row.width) --scale;
  if (text_width(words, scale) <= row.width)
    draw_centred(image, words, x, row.width, y + (row.height - kLetterHeight * scale) / 2, scale, kSoftInk);
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

std::vector<double> even_times(const std::vector<StripSource>& sources, int64_t columns) {
  SGF_CHECK(columns > 0, "columns of a figure must be at least 1, got {}", columns);
  double last = 0;
  for (const StripSource& source : sources) last = std::max(last, time_of_last_picture(source));
  std::vector<double> times;
  for (int64_t i = 0; i < columns; ++i)
    times.push_back(columns == 1 ? 0 : last * static_cast<double>(i) / static_cast<double>(columns - 1));
  return times;
}

std::string time_label(double seconds) { return fmt::format("{:g} s", std::round(seconds * 10) / 10); }

RgbImage draw_strips(const StripFigure& figure) {
  SGF_CHECK(!figure.rows.empty() && !figure.times.empty(), "a figure needs at least one video and one time");
  const StripPlan plan = plan_strips(figure);
  RgbImage image{plan.height, plan.width, std::vector<uint8_t>(static_cast<size_t>(3 * plan.height * plan.width), 255)};
  for (size_t c = 0; c < figure.times.size(); ++c)
    draw_centred(image, time_label(figure.times[c]), plan.left_of(c), plan.column_width, kMargin, plan.scale, kInk);
  for (size_t r = 0; r < figure.rows.size(); ++r) {
    const StripRow& row = figure.rows[r];
    draw_text(image, row.name, kMargin, plan.top_of(r) + (row.height - 7 * plan.scale) / 2, plan.scale, kInk);
    for (size_t c = 0; c < row.pictures.size(); ++c) {
      const int64_t x = plan.left_of(c) + (plan.column_width - row.width) / 2;
      if (row.pictures[c])
        paste(image, *row.pictures[c], x, plan.top_of(r));
      else
        draw_gap(image, row, x, plan.top_of(r), plan.scale);
    }
  }
  return image;
}

}  // namespace sgf
