// A video at another rate: which picture stands at which moment.
#include "sgf/dataset/resampled_frames.h"

#include "tests/core/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace sgf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Pictures whose one pixel is their number, shown at given times, or at none.
class Numbered final : public FrameSource {
 public:
  Numbered(int64_t count, std::optional<double> fps, std::vector<double> times = {})
      : count_(count), fps_(fps), times_(std::move(times)) {}

  int64_t width() const override { return 1; }
  int64_t height() const override { return 1; }
  std::optional<double> fps() const override { return fps_; }
  std::optional<int64_t> frame_count() const override { return count_; }
  std::optional<RgbImage> next() override {
    if (next_ == count_) return std::nullopt;
    const auto number = static_cast<uint8_t>(next_++);
    return RgbImage{1, 1, {number, number, number}};
  }
  std::optional<double> time() const override {
    return times_.empty() ? std::nullopt : std::optional(times_[static_cast<size_t>(next_ - 1)]);
  }

 private:
  int64_t count_;
  std::optional<double> fps_;
  std::vector<double> times_;
  int64_t next_ = 0;
};

std::vector<int> shown(Numbered source, double fps) {
  ResampledFrames frames(source, fps);
  std::vector<int> numbers;
  while (const std::optional<RgbImage> image = frames.next()) numbers.push_back(image->pixels[0]);
  return numbers;
}

TEST(ResampledFrames, ShowOfEachMomentThePictureThatIsShownThen) {
  EXPECT_THAT(shown(Numbered(6, 16), 16), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(shown(Numbered(6, 32), 16), ElementsAre(0, 2, 4));
  EXPECT_THAT(shown(Numbered(3, 8), 16), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(shown(Numbered(6, 24), 16), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(shown(Numbered(150, 30), 16), SizeIs(80));  // five seconds
}

TEST(ResampledFrames, OfAFolderComeAsTheyAre) {
  EXPECT_THAT(shown(Numbered(3, std::nullopt), 24), ElementsAre(0, 1, 2));
}

TEST(ResampledFrames, GoByTheTimesOfAVideoWhoseRateChanges) {
  // A still of three quarters of a second, then pictures as usual.
  EXPECT_THAT(shown(Numbered(4, 4, {0, 0.75, 1, 1.25}), 4), ElementsAre(0, 0, 0, 1, 2, 3));
  // The control: without times each would stand for a quarter of a second.
  EXPECT_THAT(shown(Numbered(4, 4), 4), ElementsAre(0, 1, 2, 3));
}

TEST(ResampledFrames, ForgiveTimesThatWereRounded) {
  std::vector<double> times;
  for (int i = 0; i < 48; ++i) times.push_back(static_cast<double>((1000 * i + 12) / 24) / 1000);
  const std::vector<int> numbers = shown(Numbered(48, 24, times), 24);
  ASSERT_THAT(numbers, SizeIs(48));
  for (int i = 0; i < 48; ++i) EXPECT_EQ(numbers[static_cast<size_t>(i)], i);
}

TEST(ResampledFrames, DoNotFollowTimesThatAreDamaged) {
  EXPECT_THAT(shown(Numbered(3, 4, {0, 0, -5}), 4), ElementsAre(0, 1, 2));
  EXPECT_THAT(refusal_of([] { shown(Numbered(2, 4, {0, 1e9}), 4); }), HasSubstr("timestamps are damaged"));
}

}  // namespace
}  // namespace sgf
