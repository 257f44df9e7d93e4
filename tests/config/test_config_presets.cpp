// The shipped presets, and validate: which settings contradict each other.
#include <gtest/gtest.h>

#include <filesystem>

#include "sgf/config/config.h"
#include "tests/core/refusal.h"

namespace sgf {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Config preset(const std::string& name) { return load_config(name, {}, {SGF_PRESETS}); }

std::string refusal_of_settings(const std::string& yaml) {
  return refusal_of([&] { validate(parse_config(yaml, "my.yaml")); });
}

TEST(Presets, EveryOneIsValidNamedAfterItsFileAndPrintsTheSameTwice) {
  int presets = 0;
  for (const auto& file : fs::directory_iterator(SGF_PRESETS)) {
    SCOPED_TRACE(file.path().string());
    const Config config = preset(file.path().stem().string());
    EXPECT_EQ(config.name, file.path().stem().string());
    const std::string printed = to_yaml(config);
    EXPECT_EQ(parse_config(printed, "printed"), config);
    EXPECT_EQ(to_yaml(parse_config(printed, "printed")), printed);
    ++presets;
  }
  EXPECT_GE(presets, 5);
}

TEST(Presets, TinyIsTheDefault) {
  Config tiny = preset("tiny");
  tiny.description = "";
  EXPECT_EQ(tiny, Config{});
}

TEST(Presets, WanHasTheAuthorsNumbers) {
  const Config small = preset("wan-1.3b");
  EXPECT_EQ(small.model, (DitConfig{.dim = 1536,
                                    .ffn_dim = 8960,
                                    .freq_dim = 256,
                                    .text_dim = 4096,
                                    .text_len = 512,
                                    .num_heads = 12,
                                    .num_layers = 30,
                                    .in_dim = 16,
                                    .out_dim = 16}));
  EXPECT_EQ(small.video, (VideoSettings{.frames = 21, .height = 60, .width = 104, .fps = 16}));
  EXPECT_THAT(small.negative_prompt, testing::StartsWith("色调艳丽，过曝"));
  Config large = preset("wan-14b");
  EXPECT_EQ(large.model.dim / large.model.num_heads, 128);
  EXPECT_EQ(large.model.num_layers, 40);
  EXPECT_EQ(large.negative_prompt, small.negative_prompt);
}

TEST(Presets, GranularitiesDifferInContextAlone) {
  Config frame = preset("wan-1.3b-framewise");
  const Config chunk = preset("wan-1.3b-chunkwise");
  EXPECT_EQ(frame.context.sink_frames + frame.context.fifo_frames + frame.context.block_frames, 21);
  EXPECT_EQ(chunk.context.sink_frames + chunk.context.fifo_frames + chunk.context.block_frames, 12);
  EXPECT_EQ(frame.context.train_frames, 21);
  EXPECT_EQ(chunk.context.train_frames, 21);  // as in the authors' release: positions of training, not frames in sight
  EXPECT_NE(frame.context, chunk.context);
  frame.name = chunk.name;
  frame.description = chunk.description;
  frame.context = chunk.context;
  EXPECT_EQ(frame, chunk);
}

// Windows of the peers' inference: Self-Forcing and Causal-Forcing give none, which is all 21 trained frames; LongLive
// 1 has local_attn_size 12 with its sink of 3 in it. All of them stream at absolute positions.
TEST(Presets, PeersHaveTheirOwnWindows) {
  const auto window = [](const std::string& name) { return preset(name).context; };
  const auto absolute = [](int64_t sink, int64_t fifo, int64_t block) {
    return ContextSettings{.sink_frames = sink,
                           .fifo_frames = fifo,
                           .block_frames = block,
                           .first_block_frames = std::nullopt,
                           .positions = PositionKind::kAbsolute,
                           .train_frames = 21};
  };
  EXPECT_EQ(window("self-forcing"), absolute(0, 18, 3));
  EXPECT_EQ(window("causal-forcing-chunkwise"), absolute(0, 18, 3));
  EXPECT_EQ(window("causal-forcing-framewise"), absolute(0, 20, 1));
  EXPECT_EQ(window("longlive"), absolute(3, 6, 3));
  EXPECT_EQ(window("self-forcing"),
            load_config(SGF_TEST_DATA "/configs/self_forcing_dmd.yaml", {}, {SGF_PRESETS}).context);
  for (const char* name : {"self-forcing", "longlive", "causal-forcing-chunkwise", "causal-forcing-framewise"}) {
    EXPECT_EQ(preset(name).model, preset("wan-1.3b").model) << name;
    EXPECT_EQ(preset(name).dmd.boundary, GradientBoundary::kFrozenContext) << name;
  }
  EXPECT_EQ(preset("wan-14b-chunkwise").model, preset("wan-14b").model);
  EXPECT_EQ(preset("wan-14b-chunkwise").context.fifo_frames, preset("wan-1.3b-chunkwise").context.fifo_frames);
}

// One line each: the settings that contradict, and the words of both keys.
TEST(Validation, ContradictionsNameBothKeys) {
  const auto refuses = [](const std::string& yaml, const std::string& words) {
    EXPECT_THAT(refusal_of_settings(yaml), HasSubstr(words)) << yaml;
  };
  refuses("model: {num_heads: 5}", "model.num_heads must divide model.dim, got 5 heads for dim 96");
  refuses("model: {num_heads: 32}",
          "model.dim / model.num_heads must be even and at least 6 for RoPE, got 96 / 32 = 3");
  refuses("video: {height: 9}", "model.patch_size must divide video.height, got 2 rows per patch of 9");
  refuses("video: {width: 9}", "model.patch_size must divide video.width, got 2 columns per patch of 9");
  refuses("model: {patch_size: [2, 2, 2]}", "model.patch_size must divide context.block_frames");
  refuses("context: {block_frames: 4}",
          "context.block_frames must divide video.frames, got blocks of 4 in 21; set context.first_block_frames to 1");
  refuses("context: {block_frames: 4, first_block_frames: 2}", "got blocks of 4 in 21 - 2");
  refuses("context: {first_block_frames: 22}", "context.first_block_frames must be at most video.frames, got 22 of 21");
  refuses("context: {sink_frames: 21}", "context.sink_frames must be less than video.frames, got 21 of 21");
  refuses("context: {positions: top_aligned, train_frames: 20}", "got 4 + 16 + 1 of 20");
  refuses("run: {device: cpu, attention: cudnn, dtype: bfloat16}",
          "run.attention cudnn needs a GPU, got run.device cpu");
  refuses("run: {attention: cudnn}", "run.attention cudnn needs run.dtype bfloat16, got float32");
  refuses("schedule: {denoising_steps: [500, 750]}", "must decrease from noise to clean, got [500.0, 750.0]");
  refuses("schedule: {denoising_steps: []}", "must hold at least one step");
  refuses("schedule: {denoising_steps: [1000.5]}", "must be above 0 and at most 1000, got 1000.5");
  refuses("name: ../elsewhere", "must not contain '/' or be '.' or '..', got '../elsewhere'");
  refuses("name: ..", "or be '.' or '..'");
}

TEST(Validation, WhatFitsIsAccepted) {
  for (const char* yaml :
       {"", "model: {num_heads: 16}", "context: {block_frames: 4, first_block_frames: 1}", "context: {block_frames: 3}",
        "context: {sink_frames: 20}", "context: {sink_frames: 0, fifo_frames: 0}", "context: {positions: top_aligned}",
        "context: {positions: contiguous, train_frames: 20}", "run: {device: cpu, attention: flash}",
        "run: {attention: cudnn, dtype: bfloat16}"}) {
    EXPECT_NO_THROW(validate(parse_config(yaml, "my.yaml"))) << yaml;
  }
}

TEST(Validation, CountsOutOfRangeAreRefusedBeforeTheyOverflow) {
  const auto refuses = [](const std::string& key, int64_t value) {
    const size_t dot = key.find('.');
    const std::string yaml = fmt::format("{}: {{{}: {}}}", key.substr(0, dot), key.substr(dot + 1), value);
    EXPECT_THAT(refusal_of_settings(yaml), HasSubstr(key + " must"));
  };
  for (const char* key :
       {"model.dim", "model.ffn_dim", "model.freq_dim", "model.text_dim", "model.text_len", "model.num_heads",
        "model.num_layers", "model.in_dim", "model.out_dim", "video.frames", "video.height", "video.width",
        "context.block_frames", "context.first_block_frames", "context.train_frames", "schedule.table_size"}) {
    refuses(key, 0);
    refuses(key, INT64_MAX);
  }
  for (const char* key : {"context.sink_frames", "context.fifo_frames", "run.threads"}) {
    refuses(key, -1);
    refuses(key, INT64_MAX);
  }
  for (const char* key : {"run.seed", "video.fps", "schedule.shift", "model.eps"}) refuses(key, -1);
  refuses("schedule.table_size", 1'000'001);
}

}  // namespace
}  // namespace sgf
