// Seeds and numbers of the videos of a set, and the defaults of what was not asked for.
#include "sgf/streaming/video_orders.h"

#include "sgf/assembly/random_wan.h"
#include "sgf/core/notice.h"
#include "sgf/files/safetensors.h"
#include "sgf/streaming/order_loras.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

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

TEST(VideoOrders, WeightsOfAnotherArchitectureAreRefusedBeforeAnythingIsLoaded) {
  const testing::TemporaryFolder folder;
  make_wan(folder);
  const std::string student = (folder / "student.pt").string();
  const VideoWishes wishes{.wan = (folder / "wan").string()};
  EXPECT_NO_THROW(plan_video(wishes, {preset("wan-tiny"), student}));
  EXPECT_THAT(refusal_of([&] {
                plan_video(wishes, {preset("wan-1.3b-chunkwise"), student});
              }),
              HasSubstr("holds a network of another architecture: dim is 256, but 1536 in this config"));
}

// A of [4, 256] and B of [256, 4] for a weight of the tiny Wan, with an alpha or without.
std::string save_lora(const std::filesystem::path& file, bool has_alpha) {
  const std::string module = "blocks.0.self_attn.q";
  const std::vector<float> numbers(size_t{4} * 256, 0.5F);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(numbers));
  std::vector<OutgoingTensor> tensors{outgoing_bytes(module + ".lora_A.weight", DType::kF32, {4, 256}, bytes),
                                      outgoing_bytes(module + ".lora_B.weight", DType::kF32, {256, 4}, bytes)};
  if (has_alpha) tensors.push_back(outgoing_bytes(module + ".alpha", DType::kF32, {}, bytes.first(sizeof(float))));
  write_safetensors(file, tensors);
  return file.string();
}

// LongLive's inference.py gives rank and alpha of its config to PEFT, which adds alpha / rank * B A.
TEST(VideoOrders, ALoraWithoutAlphaIsScaledAsTheConfigOfItsInferenceSays) {
  const testing::TemporaryFolder folder;
  make_wan(folder);
  const std::string model = (folder / "student.pt").string(), bare = save_lora(folder / "bare.safetensors", false),
                    own = save_lora(folder / "own.safetensors", true);
  const auto scale = [&](const std::string& lora, const FlatAdapter& adapter) {
    return choose_loras({lora}, model, {.adapter = adapter, .config = "longlive_inference.yaml"}).front().scale;
  };
  std::vector<std::string> heard;
  forget_notices();
  const NoticeScope scope([&](const std::string& text) { heard.push_back(text); });
  EXPECT_EQ(scale(bare, {.rank = 4, .alpha = 8}), 2);
  EXPECT_EQ(scale(bare + ":0.25", {.rank = 4, .alpha = 8}), 0.5) << "the user's scale comes on top";
  EXPECT_THAT(heard, ElementsAre(HasSubstr("alpha / rank is 8 / 4, as in the adapter of longlive_inference.yaml")));
  EXPECT_EQ(scale(own, {.rank = 4, .alpha = 8}), 1) << "it has an alpha of its own";
  EXPECT_EQ(scale(bare, {.rank = 16, .alpha = 8}), 1) << "the config describes another LoRA";
  EXPECT_EQ(scale(bare, {}), 1) << "the config describes none";
}

}  // namespace
}  // namespace sgf
