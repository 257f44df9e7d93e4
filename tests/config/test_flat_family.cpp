// The public files of the Self-Forcing family, one of each shape: read rightly, or refused with the reason and the
// nearest thing that works. Keys and numbers are those of the files.
#include "sgf/config/config.h"
#include "sgf/config/flat_adapter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/core/refusal.h"

namespace sgf {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

std::string path_of(const std::string& name) { return fmt::format("{}/configs/{}.yaml", SGF_TEST_DATA, name); }

LoadedConfig load(const fs::path& file) { return load_config_with_notes(file, {}, {SGF_PRESETS}); }

LoadedConfig load_public(const std::string& name) { return load(path_of(name)); }

std::string refusal_of_public(const std::string& name) {
  return refusal_of([&] { load_public(name); });
}

// Sink, FIFO, block and trained frames.
std::vector<int64_t> window_of(const Config& config) {
  const ContextSettings& c = config.context;
  return {c.sink_frames, c.fifo_frames, c.block_frames, c.train_frames};
}

std::vector<int64_t> window_of(const std::string& name) { return window_of(load_public(name).config); }

std::string remark_on(const LoadedConfig& loaded, std::string_view key) {
  for (const FlatNote& note : loaded.flat_notes)
    if (note.key == key) return note.ours + ": " + note.remark;
  return "";
}

// A folder of its own, for files that are read together.
class FlatFolder : public testing::Test {
 protected:
  FlatFolder() { fs::create_directories(folder_); }
  ~FlatFolder() override { fs::remove_all(folder_); }

  fs::path put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

 private:
  fs::path folder_ = fs::temp_directory_path() /
                     fmt::format("sgf_{}_{}", testing::UnitTest::GetInstance()->current_test_info()->name(),
                                 testing::UnitTest::GetInstance()->random_seed());
};

TEST(FlatFamily, TheWindowIsThatOfEachCode) {
  using Frames = std::vector<int64_t>;
  EXPECT_EQ(window_of("self_forcing_dmd"), Frames({0, 18, 3, 21}));
  EXPECT_EQ(window_of("causal_forcing_dmd_chunkwise"), Frames({0, 18, 3, 21}));
  EXPECT_EQ(window_of("causal_forcing_dmd_framewise_2step"), Frames({0, 20, 1, 21}));
  EXPECT_EQ(window_of("causal_cd_framewise"), Frames({0, 20, 1, 21}));
  EXPECT_EQ(window_of("causal_ode_chunkwise"), Frames({0, 18, 3, 21}));
  EXPECT_EQ(window_of("ar_diffusion_tf_framewise"), Frames({0, 20, 1, 21}));
  EXPECT_EQ(window_of("release/self_gradient_forcing_chunkwise"), Frames({3, 6, 3, 21}));
  EXPECT_EQ(window_of("release/self_gradient_forcing_framewise"), Frames({3, 17, 1, 21}));
  EXPECT_EQ(window_of("longlive_train_init"), Frames({3, 6, 3, 21}));  // local_attn_size 12 counts the sink
  EXPECT_EQ(window_of("longlive_inference"), Frames({3, 6, 3, 21}));
}

TEST(FlatFamily, TheOtherReadingOfTheWindowIsNamed) {
  constexpr const char* kWindow = "model_kwargs.local_attn_size";
  EXPECT_THAT(remark_on(load_public("longlive_train_init"), kWindow), HasSubstr("--set context.fifo_frames=9"));
  EXPECT_THAT(remark_on(load_public("release/self_gradient_forcing_chunkwise"), kWindow),
              HasSubstr("--set context.fifo_frames=3"));
}

// Keys are rotated once by their frame in Self-Forcing and LongLive, at every read in the release.
TEST(FlatFamily, PositionsOfLongStreamsAreThoseOfEachCode) {
  const auto positions = [](const std::string& name) { return load_public(name).config.context.positions; };
  EXPECT_EQ(positions("self_forcing_dmd"), PositionKind::kAbsolute);
  EXPECT_EQ(positions("longlive_train_init"), PositionKind::kAbsolute);
  EXPECT_EQ(positions("longlive_inference_infinity"), PositionKind::kContiguous);
  EXPECT_EQ(positions("release/self_gradient_forcing_framewise"), PositionKind::kTopAligned);
}

TEST(FlatFamily, TheReleaseTrainsSelfGradientForcing) {
  const Config c = load_public("release/self_gradient_forcing_framewise").config;
  EXPECT_EQ(c.train.stage, StageChoice::kDmd);
  EXPECT_EQ(c.dmd.boundary, GradientBoundary::kOpenContext);
  EXPECT_EQ(c.dmd.cache, CacheLatents::kExit);
  EXPECT_EQ(c.dmd.exit, ExitSharing::kPerSample);
  EXPECT_FALSE(c.dmd.generator_at_zero);
  EXPECT_EQ(c.train.steps, 1500);
  EXPECT_EQ(load_public("release/self_gradient_forcing_chunkwise").config.train.steps, 1200);
  EXPECT_EQ(c.train.start_from, "checkpoints/init/framewise/ar_diffusion.pt");
  EXPECT_EQ(c.dmd.teacher, "wan_models/Wan2.1-T2V-14B");
  EXPECT_EQ(c.dmd.critic, "wan_models/Wan2.1-T2V-1.3B");
  EXPECT_EQ(c.optimiser.weight_decay, 0.01);
}

TEST(FlatFamily, SelfForcingUpdatesAtZeroAndSharesItsExit) {
  const Config c = load_public("causal_forcing_dmd_chunkwise").config;
  EXPECT_EQ(c.dmd.boundary, GradientBoundary::kFrozenContext);
  EXPECT_EQ(c.dmd.exit, ExitSharing::kShared);
  EXPECT_TRUE(c.dmd.generator_at_zero);
}

// The 8 of these files is read by no trainer; all published runs have 64 GPUs with one sample each.
TEST(FlatFamily, ABatchSizeThatNoTrainerReadsIsNotOurs) {
  for (const char* name :
       {"release/self_gradient_forcing_chunkwise", "causal_cd_framewise", "ar_diffusion_tf_framewise"}) {
    const LoadedConfig loaded = load_public(name);
    EXPECT_EQ(loaded.config.train.global_batch, 64) << name;
    EXPECT_EQ(loaded.config.train.micro_batch, 1) << name;
    EXPECT_THAT(remark_on(loaded, "total_batch_size"), HasSubstr("does not read it")) << name;
  }
}

TEST_F(FlatFolder, ABatchSizeThatTheTrainerChecksIsOurs) {
  const char* kOde = "trainer: ode\nreal_name: x\nbatch_size: 2\ntotal_batch_size: 16\n";
  EXPECT_EQ(load(put("ode.yaml", kOde)).config.train.global_batch, 16);
}

TEST(FlatFamily, SigmasComeFromTheirTable) {
  for (const char* name : {"self_forcing_dmd", "causal_ode_chunkwise", "longlive_inference"}) {
    const ScheduleSettings s = load_public(name).config.schedule;
    EXPECT_EQ(s.sigma_lookup, SigmaLookup::kNearestTable) << name;
    EXPECT_EQ(s.table_size, 1000) << name;
  }
  EXPECT_EQ(load_config("wan-1.3b-chunkwise", {}, {SGF_PRESETS}).schedule.sigma_lookup, SigmaLookup::kExact);
}

TEST(FlatFamily, FewerStepsAreTaken) {
  using Steps = std::vector<double>;
  EXPECT_EQ(load_public("causal_forcing_dmd_framewise_2step").config.schedule.denoising_steps, Steps({1000, 500}));
  EXPECT_EQ(load_public("causal_forcing_dmd_framewise_1step").config.schedule.denoising_steps, Steps({1000}));
}

TEST(FlatFamily, ConsistencyDistillationIsAStage) {
  const LoadedConfig loaded = load_public("causal_cd_framewise");
  const Config& c = loaded.config;
  EXPECT_EQ(c.train.stage, StageChoice::kCausalCd);
  EXPECT_EQ(c.train.start_from, "checkpoints/framewise/ar_diffusion.pt");
  EXPECT_EQ(c.distil, (DistilSettings{.teacher = c.train.start_from, .guidance = 3, .grid = 48}));
  EXPECT_EQ(c.optimiser.beta1, 0);
  EXPECT_EQ(c.dmd.teacher, "");
  EXPECT_EQ(c.data.prompts, "");
  EXPECT_THAT(remark_on(loaded, "real_name"), HasSubstr("no such network"));
}

TEST(FlatFamily, OdeRegressionIsAStageWithoutEma) {
  const LoadedConfig loaded = load_public("causal_ode_chunkwise");
  EXPECT_EQ(loaded.config.train.stage, StageChoice::kCausalOde);
  EXPECT_EQ(loaded.config.optimiser.beta1, 0.9);
  EXPECT_GT(loaded.config.train.ema_start_step, loaded.config.train.steps);
  EXPECT_THAT(remark_on(loaded, "data_path"), HasSubstr("sgf pairs"));
}

// The recipes have the numbers of the same files; their windows are spelled otherwise and see the same frames.
TEST(FlatFamily, CausalForcingsFilesDescribeTheRunsOfOurRecipes) {
  const std::map<std::string, std::string> recipes = {{"ar_diffusion_tf_framewise", "framewise/1_teacher_forcing"},
                                                      {"causal_cd_framewise", "framewise-causal-cd/1_causal_cd"},
                                                      {"causal_ode_chunkwise", "chunkwise-causal-ode/1_causal_ode"}};
  const auto last_sees = [](const Config& c) {
    return c.context.policy().visible_to({21 - c.context.block_frames, 21}).frames();
  };
  for (const auto& [name, recipe] : recipes) {
    SCOPED_TRACE(name);
    const Config flat = load_public(name).config;
    const Config ours = load(fmt::format("{}/recipes/wan-1.3b/{}.yaml", SGF_SOURCE_DIR, recipe)).config;
    EXPECT_EQ(flat.data.caption_dropout, 0);
    EXPECT_EQ(flat.data.caption_dropout, ours.data.caption_dropout);
    EXPECT_EQ(flat.data.wan, ours.data.wan);
    EXPECT_EQ(flat.train.stage, ours.train.stage);
    EXPECT_EQ(flat.train.global_batch, ours.train.global_batch);
    EXPECT_EQ(flat.train.micro_batch, ours.train.micro_batch);
    EXPECT_EQ(flat.train.activations, ours.train.activations);
    EXPECT_EQ(flat.train.ema_start_step < flat.train.steps, ours.train.ema_start_step < ours.train.steps);
    EXPECT_EQ(flat.train.ema_decay, ours.train.ema_decay);
    EXPECT_EQ(flat.optimiser, ours.optimiser);
    EXPECT_EQ(flat.schedule, ours.schedule);
    EXPECT_EQ(flat.video, ours.video);
    EXPECT_EQ(flat.model, ours.model);
    EXPECT_EQ(flat.run.dtype, ours.run.dtype);
    EXPECT_EQ(flat.distil.guidance, ours.distil.guidance);
    EXPECT_EQ(flat.distil.grid, ours.distil.grid);
    EXPECT_EQ(flat.output.checkpoint_every, ours.output.checkpoint_every);
    EXPECT_EQ(flat.context.train_frames, ours.context.train_frames);
    EXPECT_EQ(last_sees(flat), last_sees(ours));
  }
  EXPECT_EQ(load_public("self_forcing_dmd").config.data.caption_dropout, DataSettings{}.caption_dropout);
}

TEST(FlatFamily, WithoutACheckpointTheGeneratorStartsFromItsBase) {
  EXPECT_EQ(load_public("ar_diffusion_tf_framewise").config.train.start_from, "wan_models/Wan2.1-T2V-1.3B");
  EXPECT_EQ(load_public("self_forcing_dmd").config.train.start_from, "checkpoints/ode_init.pt");
}

// Their trainers ask whether the value is true.
TEST_F(FlatFolder, AValueThatIsNotTrueNamesNoCheckpoint) {
  const auto start = [&](const std::string& value) {
    return load(put("mine.yaml", "real_name: Wan2.1-T2V-14B\ngenerator_ckpt: " + value + "\n")).config.train.start_from;
  };
  for (const char* value : {"\"\"", "null", "~", "", "false", "False", "0"})
    EXPECT_EQ(start(value), "wan_models/Wan2.1-T2V-1.3B") << value;
  for (const char* value : {"init.pt", "\"init.pt\"", "falsework.pt"})
    EXPECT_NE(start(value), "wan_models/Wan2.1-T2V-1.3B") << value;
  EXPECT_EQ(start("\"false\""), "false");  // a file of that name
  EXPECT_EQ(load(put("mine.yaml", "trainer: consistency_distillation\nreal_name: x\ngenerator_ckpt: ''\n"))
                .config.distil.teacher,
            "wan_models/Wan2.1-T2V-1.3B");
}

TEST(FlatFamily, LongLivesNumberOfUpdatesAndOfCheckpointsIsTaken) {
  const Config c = load_public("longlive_train_init").config;
  EXPECT_EQ(c.train.steps, 700);
  EXPECT_EQ(c.output.keep_last, 5);
}

TEST_F(FlatFolder, WithoutAWeightThereIsNoEma) {
  const auto with = [&](const std::string& more) {
    return load(put("mine.yaml", "real_name: Wan2.1-T2V-14B\nema_start_step: 200\n" + more)).config.train;
  };
  for (const char* weight : {"null", "", "0", "0.0", "-1"}) {
    const TrainSettings train = with(fmt::format("ema_weight: {}\n", weight));
    EXPECT_GT(train.ema_start_step, train.steps) << weight;
  }
  EXPECT_EQ(with("ema_weight: 0.95\n").ema_start_step, 200);
  EXPECT_EQ(with("ema_weight: 0.95\n").ema_decay, 0.95);
  EXPECT_THAT(refusal_of([&] { with("trainer: consistency_distillation\nema_weight: null\n"); }),
              HasSubstr("train.ema_decay expects a number"));  // its trainer needs the EMA
}

TEST_F(FlatFolder, ANumberOfStepsThatNeverEndsIsThePresets) {
  const auto with = [&](const std::string& more) {
    return load(put("mine.yaml", "real_name: Wan2.1-T2V-14B\n" + more));
  };
  const int64_t preset = load_config("wan-1.3b", {}, {SGF_PRESETS}).train.steps;
  for (const char* key : {"(max_steps)", "max_steps"}) {
    const LoadedConfig loaded = with(key[0] == '(' ? "" : "max_steps: -1\n");
    EXPECT_EQ(loaded.config.train.steps, preset) << key;
    EXPECT_THAT(remark_on(loaded, key), AllOf(HasSubstr("until it is killed"), HasSubstr("the preset's number")));
  }
  EXPECT_EQ(with("max_steps: 30\n").config.train.steps, 30);
  EXPECT_EQ(with("max_steps: -1\nmax_iters: 700\n").config.train.steps, 700);
}

TEST_F(FlatFolder, TheGeneratorIsTheOneThatIsNamed) {
  EXPECT_EQ(load_public("self_forcing_plus_dmd").config.model.dim, 1536);
  const Config large = load(put("large.yaml", "generator_type: causal\ngenerator_name: Wan2.1-T2V-14B\n")).config;
  EXPECT_EQ(large.model.dim, 5120);
  EXPECT_EQ(large.dmd.teacher, "wan_models/Wan2.1-T2V-14B");
  EXPECT_EQ(large.data.wan, "wan_models/Wan2.1-T2V-14B");
}

TEST(FlatFamily, AnInferenceFileHasTheWindowButCannotBeTrained) {
  const LoadedConfig loaded = load_public("longlive_inference");
  EXPECT_EQ(loaded.config.schedule.denoising_steps, (std::vector<double>{1000, 750, 500, 250}));
  EXPECT_EQ(loaded.config.data.prompts, "");
  EXPECT_THAT(loaded.not_for_training, AllOf(HasSubstr("longlive_inference.yaml"), HasSubstr("sgf generate --config"),
                                             HasSubstr("longlive_train_init.yaml")));
  EXPECT_EQ(load_public("longlive_train_init").not_for_training, "");
}

TEST_F(FlatFolder, TheScaleOfALoraIsThatOfItsConfig) {
  const auto with = [&](const std::string& adapter) {
    return put("mine.yaml", "denoising_step_list: [1000]\nnum_output_frames: 120\nadapter: " + adapter + "\n");
  };
  const auto factor = [&](const std::string& adapter) { return load_flat_adapter(with(adapter), {}).factor(); };
  EXPECT_EQ(factor("{type: lora, rank: 128, alpha: 256}"), 2);
  EXPECT_THAT(remark_on(load(with("{type: lora, rank: 128, alpha: 256}")), "adapter.alpha"),
              HasSubstr("scales a LoRA of rank 128 without alpha by it"));
  EXPECT_EQ(factor("{alpha: 8}"), 0.5);  // the rank of their code, 16
  for (const char* same : {"{rank: 256, alpha: 256}", "{rank: 256}", "{rank: 256, alpha: null}", "null"})
    EXPECT_EQ(factor(same), 1) << same;
  for (const char* wrong : {"{rank: -1, alpha: 1}", "{rank: 0.5, alpha: 1}", "{rank: 1e300, alpha: 1}"})
    EXPECT_THAT(refusal_of([&] { load(with(wrong)); }), HasSubstr("a rank of at least 1")) << wrong;
  const auto adapter = [](const std::string& name) { return load_flat_adapter(name, {SGF_PRESETS}); };
  EXPECT_EQ(adapter(path_of("longlive_inference")).rank, 256);
  EXPECT_EQ(adapter(path_of("self_forcing_dmd")).rank, 0);
  EXPECT_EQ(adapter("wan-1.3b-chunkwise").rank, 0) << "no flat file";
}

TEST(FlatFamily, OtherMethodsAreRefusedWithTheNearestThatWorks) {
  EXPECT_THAT(refusal_of_public("rolling_forcing_dmd"),
              AllOf(HasSubstr("several blocks at once"), HasSubstr("use self_forcing_dmd.yaml")));
  EXPECT_THAT(refusal_of_public("reward_forcing"),
              AllOf(HasSubstr("a reward model"), HasSubstr("set trainer: score_distillation")));
}

// What differs is their training: windows and steps are those of the files without it.
TEST(FlatFamily, MethodsOfTrainingAloneCanBeStreamedButNotTrained) {
  const LoadedConfig sid = load_public("self_forcing_sid"), dmd = load_public("self_forcing_dmd");
  EXPECT_THAT(sid.not_for_training,
              AllOf(HasSubstr("self_forcing_sid.yaml:"), HasSubstr("SiD loss"), HasSubstr("trainer runs DMD"),
                    HasSubstr("use self_forcing_dmd.yaml"), HasSubstr("sgf generate --config")));
  EXPECT_EQ(sid.config.context, dmd.config.context);
  EXPECT_EQ(sid.config.schedule, dmd.config.schedule);
  const LoadedConfig longer = load_public("longlive_train_long"), init = load_public("longlive_train_init");
  EXPECT_THAT(longer.not_for_training,
              AllOf(HasSubstr("streaming_training is not supported"), HasSubstr("use longlive_train_init.yaml")));
  EXPECT_EQ(longer.config.context, init.config.context);
  EXPECT_EQ(longer.config.schedule, init.config.schedule);
  EXPECT_EQ(longer.config.video, init.config.video);
  EXPECT_EQ(init.not_for_training + dmd.not_for_training, "");
}

TEST_F(FlatFolder, OtherLossesAreRefusedAsTheyWere) {
  const auto with = [&](const std::string& loss) {
    return put("mine.yaml", "real_name: Wan2.1-T2V-14B\ndistribution_loss: " + loss + "\n");
  };
  EXPECT_THAT(load(with("sid")).not_for_training, HasSubstr("set distribution_loss: dmd"));
  EXPECT_THAT(load(with("dmd_switch")).not_for_training, HasSubstr("changes the prompt"));
  EXPECT_THAT(refusal_of([&] { load(with("gan")); }), HasSubstr("distribution_loss 'gan' is not supported, only dmd"));
  EXPECT_EQ(load(with("dmd")).not_for_training, "");
}

TEST(FlatFamily, OtherNetworksAreRefusedWithTheNearestThatWorks) {
  EXPECT_THAT(refusal_of_public("self_forcing_14b_dmd"),
              AllOf(HasSubstr("the whole video at once"), HasSubstr("set generator_type: causal")));
  EXPECT_THAT(refusal_of_public("self_forcing_14b_i2v_dmd"),
              AllOf(HasSubstr("image encoder"), HasSubstr("use Wan2.1-T2V-1.3B or")));
  for (const char* name : {"longlive2_inference", "longlive2_train_dmd"})
    EXPECT_THAT(refusal_of_public(name), AllOf(HasSubstr("Wan2.2-TI2V-5B"), HasSubstr("48 latent channels"),
                                               HasSubstr("use longlive_train_init.yaml")))
        << name;
}

TEST(FlatFamily, CausVidsDialectIsRefusedWithTheReasonOfEachFile) {
  EXPECT_THAT(refusal_of_public("wan_causal_dmd"),
              AllOf(HasSubstr("noised clips"), HasSubstr("use self_forcing_dmd.yaml")));
  EXPECT_THAT(refusal_of_public("wan_causal_ode"), AllOf(HasSubstr("paths"), HasSubstr("--set schedule.shift=8")));
  EXPECT_THAT(refusal_of_public("wan_bidirectional_dmd"),
              AllOf(HasSubstr("whole video"), HasSubstr("use self_forcing_dmd.yaml")));
  EXPECT_THAT(refusal_of_public("sdxl_8node_dmd_config"), HasSubstr("image model"));
}

TEST_F(FlatFolder, DefaultsBesideAFileAreMergedBeneathItAsTheirScriptsDo) {
  put("default_config.yaml", "warp_denoising_step: true\nweight_decay: 0.03\nlast_step_only: false\n");
  const LoadedConfig loaded = load(put("mine.yaml", "real_name: Wan2.1-T2V-14B\nweight_decay: 0.02\n"));
  EXPECT_TRUE(loaded.config.schedule.warp_denoising_steps);  // of the defaults
  EXPECT_EQ(loaded.config.optimiser.weight_decay, 0.02);     // of the file
  EXPECT_EQ(loaded.config.name, "mine");
  EXPECT_THAT(remark_on(loaded, "default_config.yaml"),
              AllOf(HasSubstr("warp_denoising_step, last_step_only"), Not(HasSubstr("weight_decay"))));
}

TEST_F(FlatFolder, MissingDefaultsAreTheKnownOnes) {
  const LoadedConfig loaded = load(put("mine.yaml", "real_name: Wan2.1-T2V-14B\n"));
  EXPECT_FALSE(loaded.config.schedule.warp_denoising_steps);  // the preset's is true
  EXPECT_THAT(remark_on(loaded, "(warp_denoising_step)"), HasSubstr("default_config.yaml"));
}

// LongLive's inference.py reads its file alone.
TEST_F(FlatFolder, DefaultsBesideAnInferenceFileAreNotMerged) {
  put("default_config.yaml", "independent_first_frame: true\n");
  const std::string steps = "denoising_step_list: [1000, 500]\n";
  const auto first_block = [&](const std::string& more) {
    return load(put("mine.yaml", steps + more)).config.context.first_block_frames;
  };
  EXPECT_EQ(first_block("num_output_frames: 120\n"), std::nullopt);
  EXPECT_EQ(first_block("trainer: score_distillation\nnum_output_frames: 120\n"), 1);
}

TEST(FlatFamily, DefaultsAloneAreNoConfig) {
  EXPECT_THAT(refusal_of_public("release/default_config"), HasSubstr("pass one of the files beside it"));
}

TEST_F(FlatFolder, DefaultsOfAnotherKindAreIgnoredWithANote) {
  put("default_config.yaml", "model: {dim: 96}\n");
  const LoadedConfig loaded = load(put("mine.yaml", "real_name: Wan2.1-T2V-14B\n"));
  EXPECT_EQ(loaded.config.model.dim, 1536);
  EXPECT_THAT(remark_on(loaded, "default_config.yaml"), HasSubstr("ignored"));
}

TEST_F(FlatFolder, DefaultsWithLongerRolloutsAreRefusedAtTheirPlace) {
  put("default_config.yaml", "independent_first_frame: false\nnum_training_frames: 27\n");
  EXPECT_THAT(refusal_of([&] { load(put("mine.yaml", "image_or_video_shape: [1, 21, 16, 60, 104]\n")); }),
              AllOf(HasSubstr("default_config.yaml:2"), HasSubstr("num_training_frames 27 must equal the 21")));
}

}  // namespace
}  // namespace sgf
