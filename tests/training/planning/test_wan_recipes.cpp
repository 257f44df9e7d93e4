// Every recipe for Wan, resolved and held against the numbers of the public code that it follows.
#include "sgf/training/planning/recipe_plan.h"

#include "sgf/assembly/train_needs.h"
#include "sgf/training/update_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const fs::path kRecipes = fs::path(SGF_SOURCE_DIR) / "recipes/wan-1.3b";

constexpr const char* kSmallWan = "wan_models/Wan2.1-T2V-1.3B";
constexpr const char* kLargeWan = "wan_models/Wan2.1-T2V-14B";
constexpr const char* kPrompts = "prompts/vidprom_filtered_extended.txt";
constexpr const char* kClips = "data/clips-480p";

using Window = std::array<int64_t, 3>;  // frames of sink, FIFO and block

// The numbers of a stage. What all stages share is in `expect_shared_numbers`.
struct Numbers {
  StageChoice stage;
  int64_t steps;
  int64_t batch;  // over all GPUs
  double beta1;
  bool has_ema;  // of .99
  Window window;
  int64_t checkpoint_every;
};

constexpr Window kWholeClipByFrames{4, 16, 1};  // the last of 21 frames sees the 20 before it
constexpr Window kWholeClipByChunks{3, 15, 3};  // the last of 7 chunks sees the 18 frames before it
constexpr Window kSlidingByChunks{3, 6, 3};

// Causal-Forcing, configs/ar_diffusion_tf_{framewise,chunkwise}.yaml: lr 2e-6, betas 0 and .999, ema_start_step
// 2000000000, no local_attn_size, log_iters 1000, batch_size 1; README: 8 nodes of 8 GPUs, no less than 2K steps,
// better 5K to 10K; trainer/diffusion.py: clip 10, captions never left out; default_config.yaml: weight_decay .01.
constexpr Numbers teacher_forcing(Window window) {
  return {StageChoice::kTeacherForcing, 10000, 64, 0.0, false, window, 1000};
}
// Causal-Forcing, configs/causal_cd_{framewise,chunkwise}.yaml: lr 2e-6, betas 0 and .999, ema_weight .99,
// guidance_scale 3, discrete_cd_N 48, no local_attn_size, log_iters 1000; README: 64 GPUs, no less than 3K steps,
// better 5K to 10K.
constexpr Numbers causal_cd(Window window) { return {StageChoice::kCausalCd, 5000, 64, 0.0, true, window, 1000}; }
// Causal-Forcing, configs/causal_ode_{framewise,chunkwise}.yaml: lr 2e-6, betas .9 and .999, no local_attn_size,
// log_iters 1000; trainer/ode.py: no EMA; README: 64 GPUs, no less than 1K steps, better 5K to 10K.
constexpr Numbers causal_ode(Window window) { return {StageChoice::kCausalOde, 5000, 64, 0.9, false, window, 1000}; }
// CausVid, to which Self-Forcing's README refers, configs/wan_causal_ode.yaml: lr 2e-6, betas .9 and .999, batch_size
// 2; README: 64 GPUs; wan_causal_dmd.yaml starts from the checkpoint of step 3000; train_ode.py: no EMA, clip 10.
constexpr Numbers bidirectional_ode(Window window) {
  return {StageChoice::kBidirectionalOde, 3000, 128, 0.9, false, window, 1000};
}
// The authors' release, configs/self_gradient_forcing_framewise.yaml: max_steps 1500, local_attn_size 18 and
// sink_size 3.
constexpr Numbers kReleaseByFrames{StageChoice::kDmd, 1500, 64, 0.0, true, kWholeClipByFrames, 50};
// The authors' release, configs/self_gradient_forcing_chunkwise.yaml: max_steps 1200, local_attn_size 9 and
// sink_size 3.
constexpr Numbers kReleaseByChunks{StageChoice::kDmd, 1200, 64, 0.0, true, kSlidingByChunks, 50};

struct Row {
  Numbers numbers;
  const char* start;
  GradientBoundary boundary = GradientBoundary::kOpenContext;  // dmd only
};

constexpr GradientBoundary kOpen = GradientBoundary::kOpenContext, kFrozen = GradientBoundary::kFrozenContext;
constexpr const char* kForcedByFrames = "runs/wan-1.3b-framewise-teacher-forcing";
constexpr const char* kForcedByChunks = "runs/wan-1.3b-chunkwise-teacher-forcing";

// The starts of the SGF runs: the release's generator_ckpt is ar_diffusion.pt, the teacher-forced model; its
// scripts/download_weights.sh also fetches causal_cd.pt and causal_ode.pt. Self-Forcing starts from ode_init.pt, by
// regression on paths of the bidirectional teacher. The twins of Self Forcing differ in the boundary alone (the paper's
// matched pairs).
const std::map<std::string, Row> kTable{
    {"framewise/1_teacher_forcing.yaml", {teacher_forcing(kWholeClipByFrames), kSmallWan}},
    {"framewise/2_sgf.yaml", {kReleaseByFrames, kForcedByFrames, kOpen}},
    {"framewise/3_sf.yaml", {kReleaseByFrames, kForcedByFrames, kFrozen}},
    {"framewise-causal-cd/1_causal_cd.yaml", {causal_cd(kWholeClipByFrames), kForcedByFrames}},
    {"framewise-causal-cd/2_sgf.yaml", {kReleaseByFrames, "runs/wan-1.3b-framewise-causal-cd", kOpen}},
    {"framewise-causal-cd/3_sf.yaml", {kReleaseByFrames, "runs/wan-1.3b-framewise-causal-cd", kFrozen}},
    {"framewise-causal-ode/1_causal_ode.yaml", {causal_ode(kWholeClipByFrames), kForcedByFrames}},
    {"framewise-causal-ode/2_sgf.yaml", {kReleaseByFrames, "runs/wan-1.3b-framewise-causal-ode", kOpen}},
    {"framewise-causal-ode/3_sf.yaml", {kReleaseByFrames, "runs/wan-1.3b-framewise-causal-ode", kFrozen}},
    {"framewise-bidirectional-ode/1_bidirectional_ode.yaml", {bidirectional_ode(kWholeClipByFrames), kSmallWan}},
    {"framewise-bidirectional-ode/2_sgf.yaml", {kReleaseByFrames, "runs/wan-1.3b-framewise-bidirectional-ode", kOpen}},
    {"framewise-bidirectional-ode/3_sf.yaml", {kReleaseByFrames, "runs/wan-1.3b-framewise-bidirectional-ode", kFrozen}},
    {"chunkwise/1_teacher_forcing.yaml", {teacher_forcing(kWholeClipByChunks), kSmallWan}},
    {"chunkwise/2_sgf.yaml", {kReleaseByChunks, kForcedByChunks, kOpen}},
    {"chunkwise/3_sf.yaml", {kReleaseByChunks, kForcedByChunks, kFrozen}},
    {"chunkwise-causal-cd/1_causal_cd.yaml", {causal_cd(kWholeClipByChunks), kForcedByChunks}},
    {"chunkwise-causal-cd/2_sgf.yaml", {kReleaseByChunks, "runs/wan-1.3b-chunkwise-causal-cd", kOpen}},
    {"chunkwise-causal-cd/3_sf.yaml", {kReleaseByChunks, "runs/wan-1.3b-chunkwise-causal-cd", kFrozen}},
    {"chunkwise-causal-ode/1_causal_ode.yaml", {causal_ode(kWholeClipByChunks), kForcedByChunks}},
    {"chunkwise-causal-ode/2_sgf.yaml", {kReleaseByChunks, "runs/wan-1.3b-chunkwise-causal-ode", kOpen}},
    {"chunkwise-causal-ode/3_sf.yaml", {kReleaseByChunks, "runs/wan-1.3b-chunkwise-causal-ode", kFrozen}},
    {"chunkwise-bidirectional-ode/1_bidirectional_ode.yaml", {bidirectional_ode(kWholeClipByChunks), kSmallWan}},
    {"chunkwise-bidirectional-ode/2_sgf.yaml", {kReleaseByChunks, "runs/wan-1.3b-chunkwise-bidirectional-ode", kOpen}},
    {"chunkwise-bidirectional-ode/3_sf.yaml", {kReleaseByChunks, "runs/wan-1.3b-chunkwise-bidirectional-ode", kFrozen}},
};

Config resolved(const std::string& file) { return load_config(kRecipes / file, {}, {SGF_PRESETS}); }

// The same in all files of the family: lr, beta2, the trainers' clip and weight decay, 21 frames of 480x832, shift 5
// with the nearest table entry, recomputed blocks, bfloat16.
void expect_shared_numbers(const Config& c) {
  EXPECT_EQ(
      c.optimiser,
      (OptimiserSettings{
          .learning_rate = 2e-6, .beta1 = c.optimiser.beta1, .beta2 = 0.999, .weight_decay = 0.01, .clip_norm = 10}));
  EXPECT_EQ(c.schedule, (ScheduleSettings{.shift = 5,
                                          .denoising_steps = {1000, 750, 500, 250},
                                          .warp_denoising_steps = true,
                                          .sigma_lookup = SigmaLookup::kNearestTable}));
  EXPECT_EQ(c.video, (VideoSettings{.frames = 21, .height = 60, .width = 104, .fps = 16}));
  EXPECT_EQ(c.model, load_config("wan-1.3b", {}, {SGF_PRESETS}).model);
  EXPECT_EQ(c.run.dtype, ComputeDtype::kBFloat16);
  EXPECT_EQ(c.train.micro_batch, 1);
  EXPECT_EQ(c.train.activations, ActivationPolicy::kRecomputeBlocks);
  EXPECT_EQ(c.context.positions, PositionKind::kTopAligned);
  EXPECT_EQ(c.context.train_frames, 21);
  EXPECT_EQ(c.data.wan, kSmallWan);
  EXPECT_EQ(c.data.caption_dropout, c.train.stage == StageChoice::kDmd ? DataSettings{}.caption_dropout : 0);
}

void expect_numbers(const Config& c, const Numbers& n) {
  EXPECT_EQ(c.train.stage, n.stage);
  EXPECT_EQ(c.train.steps, n.steps);
  EXPECT_EQ(c.train.global_batch, n.batch);
  EXPECT_EQ(c.optimiser.beta1, n.beta1);
  EXPECT_EQ((Window{c.context.sink_frames, c.context.fifo_frames, c.context.block_frames}), n.window);
  EXPECT_EQ(c.output.checkpoint_every, n.checkpoint_every);
  EXPECT_EQ(c.train.ema_start_step < c.train.steps, n.has_ema);
  if (n.has_ema) {
    EXPECT_EQ(c.train.ema_decay, 0.99);
  }
}

// Both files of the release: dfake_gen_update_ratio 5, lr_critic 4e-7, betas 0 and .999, guidance_scale 3,
// ema_start_step 200, per_rank_exit_step true, cache_mode exit, real_name 14B, fake_name 1.3B; trainer/distillation.py:
// no generator at step 0.
void expect_release(const Config& c, GradientBoundary boundary) {
  EXPECT_EQ(c.dmd, (DmdChoices{.boundary = boundary,
                               .guidance = 3,
                               .generator_every = 5,
                               .generator_at_zero = false,
                               .exit = ExitSharing::kPerSample,
                               .cache = CacheLatents::kExit,
                               .teacher = kLargeWan,
                               .critic = kSmallWan}));
  EXPECT_EQ(
      c.critic_optimiser,
      (OptimiserSettings{.learning_rate = 4e-7, .beta1 = 0.0, .beta2 = 0.999, .weight_decay = 0.01, .clip_norm = 10}));
  EXPECT_EQ(c.train.ema_start_step, 200);
  EXPECT_EQ(update_schedule(c.dmd).counts_after(c.train.steps),
            (UpdateCounts{.generator = c.train.steps / 5 - 1, .critic = c.train.steps}));
  EXPECT_EQ(c.data.prompts, kPrompts);
  EXPECT_EQ(c.data.clips, "");
}

TEST(WanRecipes, AreThoseOfTheTable) {
  std::set<std::string> files, rows;
  for (const auto& entry : fs::recursive_directory_iterator(kRecipes))
    if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(kRecipes).generic_string());
  for (const auto& [file, row] : kTable) rows.insert(file);
  EXPECT_EQ(files, rows);
}

TEST(WanRecipes, HaveTheNumbersOfThePublicCode) {
  for (const auto& [file, row] : kTable) {
    SCOPED_TRACE(file);
    const Config c = resolved(file);
    expect_shared_numbers(c);
    expect_numbers(c, row.numbers);
    EXPECT_EQ(c.train.start_from, row.start);
    if (c.train.stage == StageChoice::kDmd) expect_release(c, row.boundary);
  }
}

// Where the reference has no window, the last block of a clip must see all frames before it; the control is the
// release's chunk-wise window, which slides.
TEST(WanRecipes, SeeTheWholeClipWhereTheReferenceHasNoWindow) {
  for (const auto& [file, row] : kTable) {
    SCOPED_TRACE(file);
    const ContextSettings context = resolved(file).context;
    const int64_t before = 21 - context.block_frames;
    const bool slides = row.numbers.window == kSlidingByChunks;
    EXPECT_EQ(context.policy().visible_to({before, 21}).frames(), slides ? 9 : before);
  }
}

TEST(WanRecipes, OfConsistencyLearnFromTheTeacherForcedModel) {
  for (const std::string kind : {"framewise", "chunkwise"}) {
    const Config c = resolved(kind + "-causal-cd/1_causal_cd.yaml");
    EXPECT_EQ(c.distil, (DistilSettings{.teacher = c.train.start_from, .guidance = 3, .grid = 48}));
    EXPECT_EQ(c.data.clips, kClips);
  }
}

TEST(WanRecipes, OfRegressionHavePathsOfTheirOwn) {
  std::set<std::string> folders;
  for (const std::string kind : {"framewise", "chunkwise"})
    for (const char* file : {"-causal-ode/1_causal_ode.yaml", "-bidirectional-ode/1_bidirectional_ode.yaml"}) {
      const Config c = resolved(kind + file);
      EXPECT_TRUE(folders.insert(c.data.pairs).second) << c.data.pairs;
      const bool is_causal = c.train.stage == StageChoice::kCausalOde;
      EXPECT_EQ(c.data.clips, is_causal ? kClips : "");
      EXPECT_EQ(c.data.prompts, is_causal ? "" : kPrompts);
    }
}

TEST(WanRecipes, EveryStartEndsInTheSameTrainingAndItsTwin) {
  for (const std::string kind : {"framewise", "chunkwise"})
    for (const std::string way : {"", "-causal-cd", "-causal-ode", "-bidirectional-ode"}) {
      SCOPED_TRACE(kind + way);
      const std::vector<RecipeStep> steps = plan_recipe(kRecipes / (kind + way), {}, {SGF_PRESETS});
      ASSERT_EQ(steps.size(), 3U);
      for (const RecipeStep& step : steps) {
        EXPECT_THAT(unmet_needs(step.config), IsEmpty());
        EXPECT_THAT(wrong_teachers(step, steps), IsEmpty());
      }
      EXPECT_THAT(steps[1].after, ElementsAre(steps[0].run));
      Config sgf = steps[1].config, twin = steps[2].config;
      EXPECT_NE(twin.dmd.boundary, sgf.dmd.boundary);
      EXPECT_NE(twin.name, sgf.name);
      twin.dmd.boundary = sgf.dmd.boundary;
      twin.name = sgf.name;
      EXPECT_EQ(twin, sgf);
      const Config flagship = resolved(kind + "/2_sgf.yaml");
      sgf.name = flagship.name;
      sgf.train.start_from = flagship.train.start_from;
      EXPECT_EQ(sgf, flagship);
    }
}

}  // namespace
}  // namespace sgf
