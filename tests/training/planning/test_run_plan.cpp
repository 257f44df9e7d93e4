// A plan is arithmetic: small cases counted by hand, and the peaks that were measured on a GPU.
#include "sgf/assembly/config_parts.h"
#include "sgf/config/config.h"
#include "sgf/core/error.h"
#include "sgf/training/planning/activation_memory.h"
#include "sgf/training/planning/run_plan.h"
#include "sgf/training/planning/step_cost.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sgf {
namespace {

constexpr double kGib = 1 << 30;

DitConfig hand_sized() {
  return {.dim = 12,
          .ffn_dim = 20,
          .freq_dim = 8,
          .text_dim = 10,
          .text_len = 5,
          .num_heads = 2,
          .num_layers = 2,
          .in_dim = 3,
          .out_dim = 3,
          .patch_size = {1, 2, 2}};
}

const PatchGrid kOneToken(2, 2, 2, 2);  // a frame is one token

Config preset(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_config(name, overrides, {SGF_PRESETS});
}

// The second of two tokens that see each other; 2 per multiply-add throughout.
TEST(FlopCount, IsThatOfTheProductsCountedByHand) {
  const FlopCount forward = forward_flops(hand_sized(), bidirectional_call(2, kOneToken));
  const double block = 2 * (6 * 144 * 2 + 2 * 12 * 20 * 2) + 2 * 2 * 144 * 5;
  const double embeddings = 2 * (2 * 12 * 12 + 2 * 8 * 12 + 5 * 10 * 12);
  const double inner = 2 * (2 * 7 * 144 + 5 * 144 + 2 * 12 * 12);
  EXPECT_DOUBLE_EQ(forward.linear, 2 * block + embeddings + inner);
  EXPECT_DOUBLE_EQ(forward.attention, 2 * 4 * 12 * (4 + 2 * 5));
  const FlopCount backward = backward_flops(hand_sized(), bidirectional_call(2, kOneToken));
  EXPECT_DOUBLE_EQ(backward.linear, 4 * block + embeddings + 2 * inner);
  EXPECT_DOUBLE_EQ(backward.attention, 2.5 * forward.attention);
}

TEST(FlopCount, CountsTheVisiblePairsOfPassTwo) {
  // Noisy blocks see 1, 2 and 3 tokens; of the two context blocks that are read, 1 and 2.
  const CallShape call = parallel_call({.sink_frames = 1, .fifo_frames = 1}, BlockLayout(3, 1), kOneToken);
  EXPECT_DOUBLE_EQ(call.pairs, 1 + 2 + 1 + 2 + 3);
  EXPECT_DOUBLE_EQ(call.last_pairs, 1 + 2 + 3);
  EXPECT_EQ(call.tokens, 5);
  EXPECT_EQ(call.last_tokens, 3);
}

TEST(FlopCount, AWriteLeavesOutWhatNobodyReads) {
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 1};
  const FlopCount denoise = forward_flops(hand_sized(), denoise_call(policy, {2, 3}, kOneToken));
  const FlopCount write = forward_flops(hand_sized(), write_call(policy, {2, 3}, kOneToken));
  // The last block's q, o, cross q, cross o and FFN, and the head.
  EXPECT_DOUBLE_EQ(denoise.linear - write.linear, 2 * (4 * 144 + 2 * 12 * 20) + 2 * 12 * 12);
  EXPECT_DOUBLE_EQ(denoise.attention - write.attention, 4 * 12 * (3 + 5));
}

TEST(ActivationMemory, CountsParametersAndCacheAsTheyAreAllocated) {
  EXPECT_EQ(parameter_count(hand_sized()), 5632);
  EXPECT_EQ(parameter_count(dit_preset("wan-1.3b")), 1'418'996'800);
  const CallSettings s{hand_sized(), {}, widths_of(ComputeDtype::kBFloat16), 3};
  // Sink 2, FIFO 4 and one block of 2: 8 frames of 7 tokens, keys and values, two layers, batch 3.
  EXPECT_EQ(cache_bytes(s, {.sink_frames = 2, .fifo_frames = 4}, BlockLayout(20, 2), 7),
            2 * 2 * 2 * 3 * 8 * 7 * 12 * 2);
  // A video shorter than the window needs no more than itself.
  EXPECT_EQ(cache_bytes(s, {.sink_frames = 0, .fifo_frames = 100}, BlockLayout(4, 2), 7),
            2 * 2 * 2 * 3 * 6 * 7 * 12 * 2);
}

// One layer whose rows all go on: 16 of [tokens, dim] and the FFN twice stay, its input beside them.
TEST(ActivationMemory, KeepsWhatTheGraphOfABlockHolds) {
  DitConfig config = hand_sized();
  config.num_layers = 1;
  const CallSettings s{config, bidirectional_call(2, kOneToken), widths_of(ComputeDtype::kBFloat16), 1};
  const int64_t row = 2 * 12 * 2, inner = 2 * 20 * 2;
  const int64_t small = 2 * (2 * 2 * 4) + 9 * 2 * 4 + 4 * 2 * 12 * 4;
  const int64_t kept = training_bytes(s, ActivationPolicy::kKeepAll).kept;
  const int64_t recomputed = training_bytes(s, ActivationPolicy::kRecomputeBlocks).kept;
  EXPECT_EQ(kept - recomputed, 16 * row + 2 * inner + small);
  EXPECT_EQ(training_bytes(s, ActivationPolicy::kKeepAttention).kept - recomputed, row + 2 * 2 * 4);
}

struct MeasuredPeak {
  const char* preset;
  ActivationPolicy activations;
  double gib;
};

// docs/performance.md: one bfloat16 network and Pass 2 forward and backward, batch 1.
TEST(ActivationMemory, IsWithinThreePercentOfTheMeasuredPeaksOfPassTwo) {
  for (const MeasuredPeak& measured : {MeasuredPeak{"wan-1.3b-chunkwise", ActivationPolicy::kRecomputeBlocks, 14.3},
                                       MeasuredPeak{"wan-1.3b-framewise", ActivationPolicy::kRecomputeBlocks, 14.9},
                                       MeasuredPeak{"wan-1.3b-chunkwise", ActivationPolicy::kKeepAttention, 19.2}}) {
    const Config c = preset(measured.preset);
    const PatchGrid grid(c.video.height, c.video.width, 2, 2);
    const CallSettings s{c.model, parallel_call(c.context.policy(), layout_of(c), grid), widths_of(c.run.dtype), 1};
    const int64_t weights = parameter_count(s.model) * s.widths.compute;
    const auto update = static_cast<double>(training_bytes(s, measured.activations).backward);
    const double planned = (static_cast<double>(weights) + update * (1 + kAllocatorShare)) / kGib;
    EXPECT_NEAR(planned / measured.gib, 1, 0.03) << measured.preset << ": " << planned;
  }
}

TEST(ActivationMemory, TheBackwardPassHoldsMoreThanTheForwardAndKeepingMoreThanRecomputing) {
  const Config c = preset("wan-1.3b-chunkwise");
  const CallShape call = parallel_call(c.context.policy(), layout_of(c), PatchGrid(60, 104, 2, 2));
  const CallSettings s{c.model, call, widths_of(c.run.dtype), 1};
  int64_t before = 0;
  for (const auto activations :
       {ActivationPolicy::kRecomputeBlocks, ActivationPolicy::kKeepAttention, ActivationPolicy::kKeepAll}) {
    const TrainingCallBytes bytes = training_bytes(s, activations);
    EXPECT_GT(bytes.backward, bytes.forward);
    EXPECT_GT(bytes.forward, bytes.kept);
    EXPECT_GT(bytes.backward, before);
    before = bytes.backward;
  }
}

int64_t resident(const MemoryPlan& plan, const std::string& name) {
  for (const MemoryRow& row : plan.resident)
    if (row.name == name) return row.bytes;
  return 0;
}

TEST(MemoryPlan, HoldsMastersCopiesMomentsAndTheSlowAverage) {
  const MemoryPlan narrow = plan_memory(preset("wan-1.3b-chunkwise"), 1);
  constexpr int64_t kParameters = 1'418'996'800;
  EXPECT_EQ(resident(narrow, "generator weights"), 6 * kParameters);
  EXPECT_EQ(resident(narrow, "generator optimiser"), 8 * kParameters);
  EXPECT_EQ(resident(narrow, "EMA"), 4 * kParameters);
  EXPECT_EQ(resident(narrow, "teacher weights"), 2 * kParameters);
  const Config wide = preset("wan-1.3b-chunkwise", {"run.dtype=float32", "train.ema_start_step=2000"});
  EXPECT_EQ(resident(plan_memory(wide, 1), "generator weights"), 4 * kParameters) << "master and copy are one";
  EXPECT_EQ(resident(plan_memory(wide, 1), "EMA"), 0) << "it never starts";
}

TEST(MemoryPlan, HoldsNoTextEncoder) {
  const auto resident = [](const std::vector<std::string>& overrides) {
    return plan_memory(preset("wan-1.3b-chunkwise", overrides), 1).resident_bytes();
  };
  EXPECT_EQ(resident({"data.wan=DIR"}), resident({})) << "prompts are encoded before the networks are loaded";
}

TEST(MemoryPlan, AccumulationAddsASumOfGradients) {
  const Config c = preset("wan-1.3b-chunkwise", {"output.sample_every=0"});
  const int64_t more = plan_memory(c, 2).peak_bytes() - plan_memory(c, 1).peak_bytes();
  EXPECT_NEAR(static_cast<double>(more) / (4.0 * 1'418'996'800), 1 + kAllocatorShare, 1e-6);
  EXPECT_EQ(plan_memory(c, 2).peak_bytes(), plan_memory(c, 64).peak_bytes());
}

TEST(MemoryPlan, PlainAttentionNeedsAMatrixOfScores) {
  const int64_t library = plan_memory(preset("wan-1.3b-chunkwise"), 1).peak_bytes();
  const int64_t plain = plan_memory(preset("wan-1.3b-chunkwise", {"run.attention=math"}), 1).peak_bytes();
  const double scores = 32760.0 * 32760.0 * 12 * 4;  // of the critic, which sees every frame at once
  EXPECT_GT(static_cast<double>(plain - library), 2 * scores);
  EXPECT_EQ(plan_memory(preset("wan-1.3b-chunkwise", {"run.attention=cudnn"}), 1).peak_bytes(), library);
}

TEST(RunPlan, SaysHowManyForwardsMakeTheGlobalBatch) {
  const Config c = preset("wan-1.3b-chunkwise", {"train.micro_batch=3"});
  EXPECT_EQ(plan_run(c, {.gpus = 8}).parts, 3);
  EXPECT_EQ(plan_run(c, {.gpus = 1}).parts, 22);
  EXPECT_THROW(plan_run(c, {.gpus = 65}), Error);
  EXPECT_THROW(plan_run(c, {.memory_gib = 0.0}), Error);
}

// The cheapest change first: fewer samples a forward, then more that is computed again.
TEST(RunPlan, TheChangeItProposesFitsAndTheAskedSettingDoesNot) {
  const PlanRequest request{.memory_gib = 141};
  for (const auto& [activations, change] :
       {std::pair{"recompute", "train.micro_batch="}, std::pair{"keep", "train.activations=keep_attention"}}) {
    std::vector<std::string> set{"train.micro_batch=16", fmt::format("train.activations={}", activations),
                                 "output.sample_every=0"};
    const RunPlan plan = plan_run(preset("wan-1.3b-chunkwise", set), request);
    ASSERT_FALSE(plan.fits);
    ASSERT_TRUE(plan.change);
    EXPECT_NE(fmt::format("{}", fmt::join(plan.change->set, " ")).find(change), std::string::npos);
    set.insert(set.end(), plan.change->set.begin(), plan.change->set.end());
    EXPECT_TRUE(plan_run(preset("wan-1.3b-chunkwise", set), request).fits);
  }
}

TEST(RunPlan, SaysWhereNothingFits) {
  const RunPlan plan = plan_run(preset("wan-1.3b-chunkwise"), {.memory_gib = 24});
  EXPECT_FALSE(plan.fits);
  EXPECT_FALSE(plan.change);
}

TEST(RunPlan, KnowsTheTimeOfWhatWasMeasuredAlone) {
  const Config c = preset("wan-1.3b-chunkwise");
  EXPECT_TRUE(plan_run(c, {}).step_seconds);
  EXPECT_FALSE(plan_run(c, {.gpu = "a100"}).step_seconds);
  EXPECT_FALSE(plan_run(preset("wan-1.3b-chunkwise", {"run.dtype=float32"}), {}).step_seconds);
}

// The rates stand between the two columns of docs/performance.md: either is met within a tenth.
TEST(RunPlan, RepeatsTheMeasuredTimesOfPassTwo) {
  for (const auto& [name, seconds] : {std::pair{"wan-1.3b-chunkwise", 2.848}, std::pair{"wan-1.3b-framewise", 3.479}}) {
    const Config c = preset(name);
    const PhaseCost pass_2 = step_costs(c).at(1);
    ASSERT_EQ(pass_2.name, "generator: Pass 2");
    EXPECT_NEAR(seconds_of(pass_2, *measured_rates("h200", c.run.dtype), 30, 1) / seconds, 1, 0.1) << name;
  }
}

// Wan2.1's 14B network: 5120 wide, 13824 in its FFN, 40 layers; the generator has 1.3B.
TEST(RunPlan, CountsTheStepsOfTheFirstBlock) {
  const auto rollout = [](const std::string& steps) {
    return step_costs(preset("wan-1.3b-chunkwise", {"dmd.exit=shared", "schedule.denoising_steps=[1000]",
                                                    "schedule.first_block_steps=" + steps}))
        .front();
  };
  const double calls = rollout("[]").serial_calls;
  EXPECT_EQ(calls, 2 * 7) << "seven blocks, each denoised in one step and written";
  EXPECT_EQ(rollout("[1000]").serial_calls, calls);
  EXPECT_EQ(rollout("[1000, 750, 500, 250]").serial_calls - calls, 1.5) << "2.5 steps on average in the first";
  EXPECT_GT(rollout("[1000, 500]").flops().total(), rollout("[]").flops().total());
}

TEST(RunPlan, CountsATeacherOfAnotherSize) {
  constexpr int64_t kBlock =
      8 * (5120 * 5120 + 5120) + 4 * 5120 + 2 * 5120 + 2 * 5120 * 13824 + 13824 + 5120 + 6 * 5120;
  constexpr int64_t kAround = (64 * 5120 + 5120) + (4096 * 5120 + 5120) + (5120 * 5120 + 5120) + (256 * 5120 + 5120) +
                              (5120 * 5120 + 5120) + (5120 * 6 * 5120 + 6 * 5120) + (5120 * 64 + 64) + 2 * 5120;
  constexpr int64_t kLarge = 40 * kBlock + kAround;
  static_assert(kLarge == 14'288'491'584);
  const Config c = preset("wan-1.3b-chunkwise");
  const RunPlan same = plan_run(c, {}), large = plan_run(c, {.teacher = dit_preset("wan-14b")});
  EXPECT_EQ(large.teacher_parameters, kLarge);
  EXPECT_EQ(to_json(large)["teacher_parameters"], kLarge);
  EXPECT_EQ(resident(large.memory, "teacher weights"), 2 * kLarge);
  EXPECT_EQ(resident(large.memory, "generator weights"), resident(same.memory, "generator weights"));
  // Two of three scores are the teacher's; products with weights outweigh the rest.
  const double tokens = 21.0 * 30 * 52, products = 6.0 * 5120 * 5120 + 2.0 * 5120 * 13824;
  const double more = large.phases.at(2).forward.linear - same.phases.at(2).forward.linear / 3;
  EXPECT_NEAR(more / (2 * 40 * 2 * tokens * products), 1, 0.02);
  EXPECT_DOUBLE_EQ(large.phases.at(1).flops().total(), same.phases.at(1).flops().total()) << "Pass 2 has no teacher";
  EXPECT_GT(*large.step_seconds, *same.step_seconds);
}

TEST(RunPlan, ItsJsonHoldsThePeakAndWhereItIs) {
  const nlohmann::json json = to_json(plan_run(preset("world-tiny"), {.memory_gib = 1}));
  EXPECT_TRUE(json["fits"]);
  EXPECT_EQ(json["change"], nullptr);
  EXPECT_EQ(json["step_seconds"], nullptr);
  EXPECT_GT(json["peak_bytes"].get<int64_t>(), json["resident_bytes"]["generator optimiser"].get<int64_t>());
}

}  // namespace
}  // namespace sgf
