// Clips of a video, passed on as they are and re-encoded.
#include "sgf/evaluation/clip_pictures.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/media/known_pictures.h"

namespace sgf {
namespace {

using sgf::testing::mean_error;
using sgf::testing::slopes;
using sgf::testing::TemporaryFolder;

// A folder of PNG files whose pictures are slopes 0, 1, 2, ...
std::filesystem::path slopes_in(const TemporaryFolder& folder, int64_t count, int64_t height = 32) {
  for (int64_t i = 0; i < count; ++i) write_png(folder / fmt::format("frame_{:05}.png", i), slopes(i, height));
  return folder.path();
}

std::vector<RgbImage> all_of(FrameSource& source) {
  std::vector<RgbImage> pictures;
  while (auto picture = source.next()) pictures.push_back(std::move(*picture));
  return pictures;
}

TEST(ClipPictures, LookingCountsThePictures) {
  const TemporaryFolder folder;
  const VideoFacts facts = look_at_video(slopes_in(folder, 7), 16);
  EXPECT_EQ(facts.pictures, 7);
  EXPECT_EQ(facts.fps, 16);
  EXPECT_EQ(facts.width, 48);
}

TEST(ClipPictures, ClipsOverlapWhereThePlanSaysSo) {
  const TemporaryFolder folder;
  VideoClips clips(slopes_in(folder, 7), split_into_clips(2, 7, 2), /*reencodes=*/false);
  ASSERT_EQ(clips.plan().clips.size(), 2u);
  for (const size_t clip : {0u, 1u, 0u}) {  // and backwards
    const auto pictures = all_of(*clips.open(clip));
    ASSERT_EQ(pictures.size(), 4u);
    for (size_t i = 0; i < 4; ++i)
      EXPECT_EQ(pictures[i].pixels, slopes(clips.plan().clips[clip].begin + static_cast<int64_t>(i)).pixels);
  }
}

TEST(ClipPictures, FirstPicturesAreThoseOfTheClips) {
  const TemporaryFolder folder;
  VideoClips clips(slopes_in(folder, 7), split_into_clips(2, 7, 2), /*reencodes=*/false);
  const auto pictures = all_of(*clips.open_first_pictures());
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_EQ(pictures[1].pixels, slopes(3).pixels);
}

TEST(ClipPictures, ReencodedClipsAreNearButNotTheSame) {
  const TemporaryFolder folder;
  VideoClips clips(slopes_in(folder, 7), split_into_clips(2, 7, 2), /*reencodes=*/true);
  const auto source = clips.open(1);
  EXPECT_EQ(source->fps(), 2);
  const auto pictures = all_of(*source);
  ASSERT_EQ(pictures.size(), 4u);
  const double error = mean_error(pictures[2], slopes(5));
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 8);
  EXPECT_EQ(all_of(*clips.open_first_pictures()).size(), 2u);
}

TEST(ClipPictures, OddSidesCannotBeReencoded) {
  const TemporaryFolder folder;
  VideoClips clips(slopes_in(folder, 4, 33), split_into_clips(2, 4, 2), /*reencodes=*/true);
  EXPECT_THAT(refusal_of([&] { clips.open(0); }), ::testing::HasSubstr("--no-reencode"));
}

}  // namespace
}  // namespace sgf
