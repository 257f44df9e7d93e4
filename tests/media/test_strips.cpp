// Figures of videos: the right pictures at the right times, of the right shape, and words where there is none.
#include "sgf/media/strip_figure.h"

#include "sgf/media/strip_letters.h"

#include "../core/refusal.h"
#include "../core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;

RgbImage grey_picture(int64_t height, int64_t width, int64_t grey) {
  return {height, width, std::vector<uint8_t>(static_cast<size_t>(3 * height * width), static_cast<uint8_t>(grey))};
}

// Picture f is all of grey 10 f, at 10 pictures a second.
StripSource write_folder(const std::filesystem::path& folder, int64_t frames, int64_t height = 8, int64_t width = 16) {
  std::filesystem::create_directories(folder);
  for (int64_t f = 0; f < frames; ++f)
    write_png(folder / fmt::format("frame_{:05}.png", f), grey_picture(height, width, 10 * f));
  return {folder, folder.filename().string(), 10};
}

int64_t grey_of(const std::optional<RgbImage>& picture) { return picture ? picture->pixels.front() : -1; }

std::vector<int64_t> greys_at(const StripSource& source, const std::vector<double>& times) {
  std::vector<int64_t> greys;
  for (const auto& picture : read_strip_row(source, times, 8).pictures) greys.push_back(grey_of(picture));
  return greys;
}

TEST(StripRow, ShowsThePictureOnTheScreenAtATime) {
  const TemporaryFolder folder;
  const StripSource source = write_folder(folder / "video", 20);
  // 1 - 0.9 is a little less than 0.1 in floating point.
  EXPECT_EQ(greys_at(source, {0, 1 - .9, .39, .4, 1.9}), (std::vector<int64_t>{0, 10, 30, 40, 190}));
}

TEST(StripRow, ShowsTheLastPictureAtTheEndAndNothingAfterIt) {
  const TemporaryFolder folder;
  const StripSource source = write_folder(folder / "video", 20);
  EXPECT_EQ(greys_at(source, {1.99, 2, 2.05, 7}), (std::vector<int64_t>{190, 190, -1, -1}));
  EXPECT_DOUBLE_EQ(read_strip_row(source, {7}, 8).seconds, 2);
}

TEST(StripRow, KeepsTheAspect) {
  const TemporaryFolder folder;
  const StripRow row = read_strip_row(write_folder(folder / "video", 2, 6, 15), {0}, 40);
  EXPECT_EQ(row.width, 100);
  EXPECT_EQ(row.pictures[0]->width, 100);
  EXPECT_EQ(row.pictures[0]->height, 40);
}

TEST(StripResize, TakesTheMeanOfTheAreaAndGrowsByPixels) {
  RgbImage image = grey_picture(2, 2, 0);
  std::fill_n(image.pixels.begin(), 3, 200);  // the first pixel
  EXPECT_EQ(resize_by_area(image, 1, 1).pixels, std::vector<uint8_t>(3, 50));
  const RgbImage large = resize_by_area(image, 4, 4);
  EXPECT_EQ(large.pixels[3 * (1 * 4 + 1)], 200);
  EXPECT_EQ(large.pixels[3 * (1 * 4 + 2)], 0);
  EXPECT_EQ(large.pixels[3 * (2 * 4 + 1)], 0);
  EXPECT_EQ(resize_by_area(grey_picture(7, 5, 77), 3, 11).pixels, std::vector<uint8_t>(3 * 3 * 11, 77));
}

TEST(StripTimes, GoEvenlyToTheEndOfTheLongest) {
  const TemporaryFolder folder;
  const std::vector<StripSource> sources{write_folder(folder / "short", 3), write_folder(folder / "long", 21)};
  EXPECT_EQ(even_times(sources, 3), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(even_times(sources, 1), std::vector<double>{0});
}

TEST(StripTimes, AreSpelledShort) {
  EXPECT_EQ(time_label(0), "0 s");
  EXPECT_EQ(time_label(2.5), "2.5 s");
  EXPECT_EQ(time_label(60), "60 s");
  EXPECT_EQ(time_label(3.94999), "3.9 s");
}

TEST(StripFigure, HoldsEveryPictureAndGap) {
  const TemporaryFolder folder;
  const std::vector<double> times{0, 1};
  StripFigure figure{times, {}};
  figure.rows.push_back(read_strip_row(write_folder(folder / "one", 11, 8, 8), times, 80));
  figure.rows.push_back(read_strip_row(write_folder(folder / "two", 3, 8, 16), times, 80));
  const RgbImage image = draw_strips(figure);
  EXPECT_EQ(image.pixels.size(), static_cast<size_t>(3 * image.height * image.width));
  const auto pixels_of = [&](int64_t grey) {
    int64_t count = 0;
    for (size_t i = 0; i < image.pixels.size(); i += 3) count += image.pixels[i] == grey ? 1 : 0;
    return count;
  };
  EXPECT_EQ(pixels_of(100), 80 * 80);           // picture 10 of the first
  EXPECT_EQ(pixels_of(0), 80 * 80 + 80 * 160);  // picture 0 of both; ink is not quite black
  EXPECT_GT(pixels_of(232), 80 * 120);          // the field after the second's end
  EXPECT_LT(pixels_of(232), 80 * 160);          // with words in it
}

TEST(StripFigure, ThatNobodyCouldOpenIsRefused) {
  StripFigure figure{std::vector<double>(300, 0.0), {}};
  figure.rows.push_back({.name = "row", .width = 100, .height = 100, .pictures = {}, .seconds = 1});
  figure.rows[0].pictures.resize(300);
  EXPECT_THAT(refusal_of([&] { draw_strips(figure); }), HasSubstr("too large"));
}

TEST(StripLetters, AreAsWideAsTheySayAndStayInThePicture) {
  RgbImage image = grey_picture(20, 100, 255);
  draw_text(image, "Wy", 3, 2, 2, 0);
  int64_t left = 100, right = 0, bottom = 0;
  for (int64_t y = 0; y < 20; ++y)
    for (int64_t x = 0; x < 100; ++x)
      if (image.pixels[static_cast<size_t>(3 * (y * 100 + x))] == 0) {
        left = std::min(left, x);
        right = std::max(right, x + 1);
        bottom = std::max(bottom, y + 1);
      }
  EXPECT_EQ(left, 3);
  EXPECT_EQ(right - left, text_width("Wy", 2));
  EXPECT_EQ(bottom, 2 + 2 * kLetterHeight);  // the y hangs below the line
  draw_text(image, "far outside", 90, 15, 4, 0);
  draw_text(image, "far outside", -20, -3, 4, 0);
}

TEST(StripLetters, CountCharactersNotBytes) { EXPECT_EQ(text_width("é中", 1), text_width("ab", 1)); }

TEST(StripLetters, AreAllDifferent) {
  std::vector<std::vector<uint8_t>> seen;
  for (char letter = ' '; letter <= '~'; ++letter) {
    RgbImage image = grey_picture(9, 5, 255);
    draw_text(image, std::string_view(&letter, 1), 0, 0, 1, 0);
    EXPECT_EQ(std::ranges::count(seen, image.pixels), 0) << letter;
    seen.push_back(image.pixels);
  }
}

}  // namespace
}  // namespace sgf
