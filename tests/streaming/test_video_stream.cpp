// The stream that programs use is that of `sgf generate`.
#include "sgf/media/video_tensor.h"
#include "sgf/streaming/generate.h"
#include "sgf/streaming/video_stream.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/media/read_video.h"
#include "tests/streaming/tiny_video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::read_video;
using testing::TemporaryFolder;

VideoStreamSettings settings_of(const GenerateOrder& order, const std::filesystem::path& folder) {
  std::ofstream(folder / "config.yaml") << to_yaml(order.config);
  return {.model = order.model,
          .config = folder / "config.yaml",
          .prompts = order.prompts,
          .on_switch = order.on_switch,
          .seed = order.config.run.seed,
          .device = "cpu"};
}

TEST(VideoStream, ShowsTheFramesOfGenerate) {
  TinyVideo video;
  video.order.enlarge = 1;
  const TemporaryFolder folder;
  const auto target = folder / "frames";
  std::filesystem::create_directory(target);
  generate_video(video.order, video.parts, 6, {.target = target.string(), .overwrite = true});
  VideoStream stream(settings_of(video.order, folder.path()));
  std::vector<RgbImage> frames;
  for (int block = 0; block < 6; ++block)
    for (RgbImage& frame : stream.next()) frames.push_back(std::move(frame));
  const std::vector<RgbImage> theirs = images_of(read_video(target));
  ASSERT_EQ(frames.size(), theirs.size());
  for (size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(frames[i].pixels, theirs[i].pixels) << i;
  EXPECT_EQ(stream.fps(), video.order.config.video.fps);
}

TEST(VideoStream, DrawsAPromptOfTheWorldWhereNoneIsGiven) {
  const TinyVideo video;
  const TemporaryFolder folder;
  VideoStreamSettings settings = settings_of(video.order, folder.path());
  settings.prompts.clear();
  const VideoStream one(settings);
  settings.seed = 2;
  const VideoStream two(settings);
  ASSERT_EQ(one.prompts().size(), 1u);
  EXPECT_NE(one.prompts(), two.prompts());
}

TEST(VideoStream, NamesTheFileThatIsMissing) {
  EXPECT_THAT(refusal_of([] { VideoStream({.model = "nowhere"}); }), HasSubstr("nowhere/config.yaml"));
}

}  // namespace
}  // namespace sgf
