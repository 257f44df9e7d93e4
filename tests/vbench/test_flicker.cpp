// Temporal flickering: exact on made-up pictures, and VBench's number for its reference clip.
#include "sgf/media/frame_source.h"
#include "sgf/vbench/flicker.h"
#include "tests/core/refusal.h"

#include <cstdlib>
#include <filesystem>

namespace sgf {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(Flicker, AVideoThatStandsStillScoresOne) {
  FlickerMeter meter;
  for (int i = 0; i < 3; ++i) meter.add(Bytes{1, 2, 3});
  EXPECT_EQ(meter.score(), 1.0);
}

TEST(Flicker, DifferencesCountUpAndDown) {
  FlickerMeter meter;
  for (const Bytes& picture : {Bytes{0, 10, 20}, Bytes{30, 10, 5}, Bytes{0, 10, 20}}) meter.add(picture);
  EXPECT_EQ(meter.differences(), (std::vector<double>{15, 15}));
  EXPECT_DOUBLE_EQ(*meter.score(), (255.0 - 15) / 255);
}

TEST(Flicker, OnePictureHasNoScore) {
  FlickerMeter meter;
  meter.add(Bytes{1, 2, 3});
  EXPECT_FALSE(meter.score());
}

TEST(Flicker, PicturesOfAnotherSizeAreRefused) {
  FlickerMeter meter;
  meter.add(Bytes{1, 2, 3});
  EXPECT_THAT(refusal_of([&] { meter.add(Bytes(6)); }), ::testing::HasSubstr("6 bytes after 3"));
}

double flicker_of(const std::filesystem::path& file, ColourReading reading) {
  const auto source = open_frames(file, reading);
  FlickerMeter meter;
  while (const auto picture = source->next()) meter.add(picture->pixels);
  return *meter.score();
}

TEST(Flicker, TheReferenceClipScoresAsInVBench) {
  const char* folder = std::getenv("SGF_REFERENCE_DIR");
  const std::filesystem::path file = std::filesystem::path(folder != nullptr ? folder : "") / "ltx2.mp4";
  if (folder == nullptr || !std::filesystem::exists(file))
    GTEST_SKIP() << "SGF_REFERENCE_DIR names no folder with ltx2.mp4";
  EXPECT_NEAR(flicker_of(file, ColourReading::kUsual), 0.9794516807, 1e-6);
  // The control: colours read otherwise are further off than VBench's readers are from one another.
  EXPECT_GT(std::abs(flicker_of(file, ColourReading::kFine) - 0.9794516807), 3e-5);
}

}  // namespace
}  // namespace sgf
