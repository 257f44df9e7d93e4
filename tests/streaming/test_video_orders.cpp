// Seeds and numbers of the videos of a set, and the defaults of what was not asked for.
#include "sgf/streaming/video_orders.h"

#include "sgf/assembly/random_wan.h"
#include "sgf/core/notice.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Config preset(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_config(name, overrides, {SGF_PRESETS});
}

std::vector<std::pair<int64_t, int64_t>> noise_of(const PromptSet& set) {
  std::vector<std::pair<int64_t, int64_t>> noise;
  for (const SetVideo& video : videos_in_set(set, 7)) noise.emplace_back(video.seed, video.number);
  return noise;
}

TEST(VideoOrders, EveryLineOfASetHasItsOwnSeed) {
  EXPECT_THAT(noise_of({.prompts = {"a", "b", "a"}, .samples = 2}),
              ElementsAre(Pair(7, 0), Pair(7, 1), Pair(8, 0), Pair(8, 1), Pair(9, 0), Pair(9, 1)));
}

TEST(VideoOrders, WithTheSameNoiseARepeatedPromptHasFurtherSamples) {
  EXPECT_THAT(noise_of({.prompts = {"a", "b", "a"}, .samples = 2, .same_noise = true}),
              ElementsAre(Pair(7, 0), Pair(7, 1), Pair(7, 0), Pair(7, 1), Pair(7, 2), Pair(7, 3)));
}

TEST(VideoOrders, AnOrderInASetDiffersOnlyInItsPromptAndNoise) {
  const PromptSet set{.prompts = {"a", "b"}};
  const GenerateOrder pattern{.config = preset("world-tiny"), .negative = "c", .crf = 20};
  GenerateOrder order = order_in_set(pattern, set, videos_in_set(set, 7)[1]);
  EXPECT_THAT(order.prompts, ElementsAre(TimedPrompt{0, "b"}));
  EXPECT_EQ(order.config.run.seed, 8);
  order.prompts = pattern.prompts;
  order.config.run.seed = pattern.config.run.seed;
  EXPECT_EQ(order, pattern);
}

TEST(VideoOrders, SmallFramesOfAWorldAreEnlargedAndOthersAreNot) {
  EXPECT_GT(enlargement_of(preset("world-tiny")), 1);
  EXPECT_EQ(enlargement_of(preset("wan-tiny")), 1);  // 64 pixels
}

TEST(VideoOrders, AModelsFolderIsItsWanFolderUnlessAWorldOrAFolderIsNamed) {
  const testing::TemporaryFolder folder;
  const std::string model = folder.path().string();
  EXPECT_EQ(wan_folder_of("", model, preset("wan-tiny")), model);
  EXPECT_EQ(wan_folder_of("other", model, preset("wan-tiny")), "other");
  EXPECT_EQ(wan_folder_of("", model, preset("world-tiny")), "");
  EXPECT_EQ(wan_folder_of("", model + "/model.safetensors", preset("wan-tiny")), "");
}

void make_wan(const testing::TemporaryFolder& folder) {
  const std::vector<PlannedFile> files = plan_random_wan({.folder = folder / "wan", .student = folder / "student.pt"});
  prepare_random_wan(files, false);
  for (const PlannedFile& file : files) file.write([](uint64_t) {});
}

TEST(VideoOrders, StepsThatReplaceThoseOfTheFirstBlockAreSaid) {
  const testing::TemporaryFolder folder;
  make_wan(folder);
  const auto heard_with = [&](const std::string& first_block_steps) {
    forget_notices();
    std::vector<std::string> heard;
    const NoticeScope scope([&](const std::string& text) {
      if (text.find("first_block_steps") != std::string::npos) heard.push_back(text);
    });
    const ChosenModel model{preset("wan-tiny", {"schedule.first_block_steps=" + first_block_steps}),
                            (folder / "student.pt").string()};
    plan_video({.wan = (folder / "wan").string()}, model);
    EXPECT_THAT(heard, ElementsAre()) << "the control: no steps were asked for";
    VideoWishes wishes{.wan = (folder / "wan").string(), .steps = 2};
    EXPECT_THAT(plan_video(wishes, model).order.config.schedule.first_block_steps, ElementsAre());
    return heard;
  };
  EXPECT_THAT(heard_with("[1000, 500, 250]"), ElementsAre(HasSubstr("replaces schedule.first_block_steps")));
  EXPECT_THAT(heard_with("[]"), ElementsAre());
}

TEST(VideoOrders, WishesReplaceOnlyTheirOwnSettings) {
  const testing::TemporaryFolder folder;
  make_wan(folder);
  const ChosenModel model{preset("wan-tiny"), (folder / "student.pt").string()};
  const VideoPlan plain = plan_video({.wan = (folder / "wan").string()}, model);
  EXPECT_EQ(plain.order.config, model.config);

  const PictureSize step = size_step(model.config);
  VideoWishes wishes{.wan = plain.order.wan, .seed = 3, .steps = 2};
  wishes.size = PictureSize{.height = 2 * step.height, .width = 3 * step.width};
  Config expected = model.config;
  expected.run.seed = 3;
  expected.video.height = 2 * model.config.model.patch_size[1];
  expected.video.width = 3 * model.config.model.patch_size[2];
  expected.schedule.denoising_steps = {1000, 500};
  expected.schedule.first_block_steps.clear();
  const VideoPlan wished = plan_video(wishes, model);
  EXPECT_EQ(wished.order.config, expected);
  EXPECT_EQ(wished.order.model_identity, plain.order.model_identity);
  EXPECT_EQ(wished.blocks, plain.blocks);
}

}  // namespace
}  // namespace sgf
