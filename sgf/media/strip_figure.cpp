#include "sgf/media/strip_figure.h"

#include "sgf/core/error.h"
#include "sgf/media/strip_letters.h"

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

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
