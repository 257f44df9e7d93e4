// Flat Self-Forcing-style files: what their keys become, what is said of them, and what is refused.
#include "sgf/config/flat_config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sgf/config/config.h"
#include "sgf/config/config_files.h"
#include "sgf/config/flat_keys.h"
#include "tests/core/refusal.h"

namespace sgf {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

LoadedConfig load_flat(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_config_with_notes(fmt::format("{}/configs/{}.yaml", SGF_TEST_DATA, name), overrides, {SGF_PRESETS});
}

FlatTranslation translate(std::string_view yaml) {
  return translate_flat(parse_yaml(yaml, {.source = "their.yaml", .line = 1, .column = 1}));
}

std::string refusal_of_flat(std::string_view yaml) {
  return refusal_of([&] { translate(yaml); });
}

// All that was said of a key, in one text.
std::string said_of(const std::vector<FlatNote>& notes, std::string_view key) {
  std::string said;
  for (const FlatNote& note : notes)
    if (note.key == key) said += fmt::format("[{}] {}\n", note.ours, note.remark);
  return said;
}

TEST(FlatConfig, TakesWhatASelfForcingFileSays) {
  const Config c = load_flat("self_forcing_dmd").config;
  EXPECT_EQ(c.name, "self_forcing_dmd");
  EXPECT_EQ(c.train.stage, StageChoice::kDmd);
  EXPECT_EQ(c.train.start_from, "checkpoints/ode_init.pt");
  EXPECT_EQ(c.dmd.teacher, "wan_models/Wan2.1-T2V-14B");
  EXPECT_EQ(c.dmd.critic, "wan_models/Wan2.1-T2V-1.3B");  // fake_name's default there
  EXPECT_EQ(c.dmd.boundary, GradientBoundary::kFrozenContext);
  EXPECT_TRUE(c.dmd.generator_at_zero);
  EXPECT_EQ(c.dmd.guidance, 3);
  EXPECT_EQ(c.dmd.generator_every, 5);
  EXPECT_EQ(c.data.prompts, "prompts/vidprom_filtered_extended.txt");
  EXPECT_EQ(c.negative_prompt, "色调艳丽，过曝，静态");
}

TEST(FlatConfig, TakesSizesScheduleAndOptimisers) {
  const Config c = load_flat("self_forcing_dmd").config;
  EXPECT_EQ(c.model.dim, 1536);
  EXPECT_EQ(c.video, (VideoSettings{.frames = 21, .height = 60, .width = 104, .fps = 16}));
  EXPECT_EQ(c.schedule.denoising_steps, (std::vector<double>{1000, 750, 500, 250}));
  EXPECT_EQ(c.optimiser.learning_rate, 2e-6);
  EXPECT_EQ(c.critic_optimiser.learning_rate, 4e-7);
  EXPECT_EQ(c.optimiser.weight_decay, 0.01);
  EXPECT_EQ(c.train.global_batch, 64);
  EXPECT_EQ(c.train.micro_batch, 1);
  EXPECT_EQ(c.train.activations, ActivationPolicy::kRecomputeBlocks);
  EXPECT_EQ(c.run.dtype, ComputeDtype::kBFloat16);
  EXPECT_EQ(c.output.checkpoint_every, 50);
}

TEST(FlatConfig, SeesAllHistoryWhereNoWindowIsNamed) {
  const ContextSettings c = load_flat("self_forcing_dmd").config.context;
  EXPECT_EQ(c.block_frames, 3);
  EXPECT_EQ(c.sink_frames, 0);
  EXPECT_EQ(c.fifo_frames, 18);
}

TEST(FlatConfig, AWindowExcludesTheSinkAndTheBlockAndTheOtherSpellingIsNamed) {
  const LoadedConfig loaded = load_flat("self_gradient_forcing_chunkwise");
  const ContextSettings& c = loaded.config.context;
  EXPECT_EQ((std::vector{c.sink_frames, c.fifo_frames, c.block_frames, c.train_frames}),
            (std::vector<int64_t>{3, 6, 3, 21}));
  EXPECT_EQ(c.positions, PositionKind::kTopAligned);
  EXPECT_THAT(said_of(loaded.flat_notes, "model_kwargs.local_attn_size"), HasSubstr("--set context.fifo_frames=3"));
}

TEST(FlatConfig, AFileOfThePaperIsSelfGradientForcing) {
  const Config c = load_flat("self_gradient_forcing_chunkwise").config;
  EXPECT_EQ(c.dmd.boundary, GradientBoundary::kOpenContext);
  EXPECT_FALSE(c.dmd.generator_at_zero);
  EXPECT_EQ(c.dmd.cache, CacheLatents::kFinalClean);
  EXPECT_EQ(c.dmd.exit, ExitSharing::kShared);
  EXPECT_EQ(c.schedule.denoising_steps, (std::vector<double>{1000, 750, 500, 250}));  // without the 0
  EXPECT_EQ(c.optimiser.weight_decay, 0.02);
  EXPECT_EQ(c.critic_optimiser.weight_decay, 0.02);
  EXPECT_EQ(c.train.steps, 2000);
  EXPECT_EQ(c.run.seed, 7);
}

TEST(FlatConfig, ARankHasAnExitOfItsOwnOnlyIfTheCacheIsThatOfTheExit) {
  const auto said = [](const std::string& more) {
    return said_of(translate("trainer: self_gradient_forcing\nper_rank_exit_step: true\n" + more).notes,
                   "per_rank_exit_step");
  };
  EXPECT_THAT(said(""), HasSubstr("dmd.exit: per_sample"));
  for (const std::string key : {"self_gradient_forcing_cache_mode", "cache_mode"}) {
    EXPECT_THAT(said(key + ": exit\n"), HasSubstr("dmd.exit: per_sample"));
    EXPECT_THAT(said(key + ": final_clean\n"), AllOf(HasSubstr("dmd.exit: shared"), HasSubstr("draws no other")));
  }
}

TEST(FlatConfig, TeacherForcingIsAStageAndItsClipsAreNotPrompts) {
  const LoadedConfig loaded = load_flat("teacher_forcing");
  EXPECT_EQ(loaded.config.train.stage, StageChoice::kTeacherForcing);
  EXPECT_EQ(loaded.config.data.prompts, "");
  EXPECT_THAT(said_of(loaded.flat_notes, "data_path"), HasSubstr("[] clips come from data.world"));
}

TEST(FlatConfig, ExplainsTheTraps) {
  const std::vector<FlatNote> notes = load_flat("self_forcing_dmd").flat_notes;
  EXPECT_THAT(said_of(notes, "seed"), HasSubstr("in Self-Forcing 0 means a random seed"));
  EXPECT_THAT(said_of(notes, "guidance_scale"), HasSubstr("the usual guidance weight of 4"));
  EXPECT_THAT(said_of(notes, "log_iters"),
              AllOf(HasSubstr("output.checkpoint_every"), HasSubstr("not between log lines")));
  EXPECT_THAT(said_of(notes, "batch_size"), HasSubstr("times the number of GPUs"));
  EXPECT_THAT(said_of(notes, "total_batch_size"), HasSubstr("does not read it"));
  EXPECT_THAT(said_of(notes, "(max_steps)"), HasSubstr("until it is killed"));
}

TEST(FlatConfig, AccountsForEveryKeyOfTheFile) {
  for (const char* name : {"self_forcing_dmd", "self_gradient_forcing_chunkwise", "teacher_forcing", "flat_world"}) {
    const ConfigNode tree = load_config_tree(fmt::format("{}/configs/{}.yaml", SGF_TEST_DATA, name), {});
    const std::vector<FlatNote> notes = load_flat(name).flat_notes;
    for (const ConfigEntry& entry : tree.entries)
      EXPECT_NE(entry.key == "model_kwargs" ? "said" : said_of(notes, entry.key), "") << name << ": " << entry.key;
  }
}

// Renaming one of ours must not leave a table that points nowhere.
TEST(FlatConfig, TheTableNamesKeysThatExist) {
  const std::vector<KeyHelp> known = known_keys();
  for (const FlatKey& row : flat_keys()) {
    if (row.use != FlatUse::kSame) continue;
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const KeyHelp& k) { return k.key == row.ours; }))
        << row.ours;
  }
}

TEST(FlatConfig, IsAResolvedConfigOfOursAfterwards) {
  const Config c = load_flat("self_forcing_dmd").config;
  EXPECT_EQ(parse_config(to_yaml(c), "again"), c);
}

TEST(FlatConfig, OverridesAreInOurKeysAndTheirsAreTranslated) {
  EXPECT_EQ(load_flat("flat_world", {"train.steps=9"}).config.train.steps, 9);
  EXPECT_THAT(refusal_of([] { load_flat("flat_world", {"lr=1e-5"}); }), HasSubstr("lr is optimiser.learning_rate"));
  EXPECT_THAT(refusal_of([] { load_flat("flat_world", {"model_kwargs.sink_size=1"}); }),
              HasSubstr("is context.sink_frames"));
  EXPECT_THAT(refusal_of([] { load_flat("flat_world", {"wandb_key=x"}); }), HasSubstr("is none of them"));
}

TEST(FlatConfig, RefusesAnUnknownKeyWithTheNearestOne) {
  EXPECT_THAT(refusal_of_flat("real_name: x\nlr_critik: 1\n"),
              AllOf(HasSubstr("their.yaml:2: unknown key lr_critik"), HasSubstr("did you mean lr_critic?")));
  EXPECT_THAT(refusal_of_flat("real_name: x\nmodel_kwargs: {sink_sise: 1}\n"), HasSubstr("model_kwargs.sink_size?"));
}

// Their default_config.yaml has none of the larger keys.
TEST(FlatConfig, AFileOfDefaultsIsKnownAsFlat) {
  const auto is_flat = [](std::string_view yaml) {
    return is_flat_config(parse_yaml(yaml, {.source = "default_config.yaml", .line = 1, .column = 1}));
  };
  EXPECT_TRUE(is_flat("independent_first_frame: false\nweight_decay: 0.01\ncausal: true\n"));
  EXPECT_FALSE(is_flat("weight_decay: 0.01\n"));
}

// Forks add keys of their own by the dozen: none is passed over in silence, none stops the file.
TEST(FlatConfig, NotesUnknownKeysThatAreNoSlipAsIgnored) {
  const FlatTranslation flat = translate("real_name: x\nlookahead: {enabled: true}\nmodel_kwargs: {shot_memory: 3}\n");
  for (const char* key : {"lookahead", "model_kwargs.shot_memory"})
    EXPECT_THAT(said_of(flat.notes, key), HasSubstr("[] ignored: unknown key")) << key;
  EXPECT_EQ(said_of(flat.notes, "real_name").find("ignored"), std::string::npos);
}

TEST(FlatConfig, KeysOfForksThatWouldChangeTheTrainingAreNotIgnored) {
  EXPECT_THAT(refusal_of_flat("real_name: x\nbackward_simulation: false\n"), HasSubstr("backward_simulation"));
  EXPECT_THAT(translate("real_name: x\nadapter: {type: lora, rank: 256}\n").not_for_training,
              AllOf(HasSubstr("adapter trains a LoRA"), HasSubstr("sgf generate --config")));
  EXPECT_EQ(translate("real_name: x\nbackward_simulation: true\nadapter: null\n").not_for_training, "");
}

TEST(FlatConfig, RefusesWhatIsNotDoneHere) {
  EXPECT_THAT(refusal_of_flat("trainer: gan\n"), HasSubstr("trainer 'gan' is not supported"));
  EXPECT_THAT(refusal_of_flat("trainer: diffusion\n"), HasSubstr("without teacher_forcing"));
  EXPECT_THAT(refusal_of_flat("trainer: score_distillation\nsame_step_across_blocks: False\n"),
              HasSubstr("all blocks of a rollout exit at the same step"));
  EXPECT_THAT(refusal_of_flat("trainer: score_distillation\nfake_guidance_scale: 1.5\n"), HasSubstr("has no guidance"));
  EXPECT_THAT(refusal_of_flat("real_name: x\nmodel_kwargs: {model_name: Wan2.2-TI2V-5B}\n"),
              HasSubstr("is unknown; use Wan2.1-T2V-1.3B"));
}

// Each was an exception of another kind, an overflow, or an error without the file's name.
TEST(FlatConfig, RefusesNumbersThatNothingCanBeComputedFrom) {
  EXPECT_THAT(refusal_of_flat("image_or_video_shape: []\n"), HasSubstr("expects [B, F, C, H, W], got 0 numbers"));
  EXPECT_THAT(refusal_of_flat("real_name: x\nmodel_kwargs: {sink_size: 9223372036854775807}\n"),
              AllOf(HasSubstr("their.yaml:2"), HasSubstr("sink_size must be a number of frames")));
  EXPECT_THAT(refusal_of_flat("image_or_video_shape: [1, -9223372036854775808, 1, 1, 1]\n"),
              HasSubstr("must be a number of frames, at most"));
  EXPECT_THAT(refusal_of_flat("timestep_shift: 1.0e300\nmin_score_timestep: 1.0e308\nts_schedule: false\n"),
              AllOf(HasSubstr("their.yaml:2"), HasSubstr("min_score_timestep is out of range")));
  EXPECT_NO_THROW(translate("image_or_video_shape: [1, 21, 16, 60, 104]\nmodel_kwargs: {sink_size: 3}\n"));
}

TEST(FlatConfig, TakesTheSpellingsOfAValueThatIsDone) {
  EXPECT_NO_THROW(translate("trainer: score_distillation\nsame_step_across_blocks: True\nfake_guidance_scale: 0.0\n"));
}

TEST(FlatConfig, LeavingAtTheLastStepOnlyIsTheFirstExit) {
  const std::string file = "real_name: x\ndenoising_step_list: [1000, 750, 250, 0]\n";
  const auto said = [&](const char* more) { return said_of(translate(file + more).notes, "last_step_only"); };
  EXPECT_THAT(said("last_step_only: true\n"), HasSubstr("dmd.first_exit: 3"));
  EXPECT_THAT(said("last_step_only: false\n"), HasSubstr("dmd.first_exit: 1"));
}

TEST(FlatConfig, ALackingShiftIsTheDefaultOfTheirCode) {
  const LoadedConfig networks = load_flat("flat_world");  // names the shift of the scores alone
  EXPECT_EQ(networks.config.schedule.shift, 8);
  EXPECT_EQ(networks.config.dmd.score_shift, 5);
  EXPECT_EQ(load_flat("self_forcing_dmd").config.schedule.shift, 5);
  EXPECT_EQ(load_flat("self_forcing_dmd").config.dmd.score_shift, std::nullopt);
}

TEST(FlatConfig, LackingKeysAreTheDefaultsOfTheirTrainer) {
  const FlatTranslation bare = translate("real_name: x\nlr: 1.0e-05\n");
  EXPECT_THAT(said_of(bare.notes, "(warp_denoising_step)"), HasSubstr("schedule.warp_denoising_steps: false"));
  EXPECT_THAT(said_of(bare.notes, "(lr_critic)"), HasSubstr("critic_optimiser.learning_rate: 1.0e-05"));
  EXPECT_THAT(said_of(bare.notes, "(ts_schedule)"), HasSubstr("dmd.score_above_next_step: true"));
  EXPECT_EQ(said_of(translate("real_name: x\nts_schedule: false\n").notes, "(ts_schedule)"), "");
}

TEST(FlatConfig, TakesTheStepsOfTheFirstChunk) {
  const auto steps_of = [](const std::string& list) {
    const FlatTranslation read = translate("denoising_step_list: [1000]\nguidance_scale: 3\n" + list);
    const ConfigNode* schedule = read.tree.find("schedule");
    const ConfigNode* steps = schedule == nullptr ? nullptr : schedule->find("first_block_steps");
    return steps == nullptr ? 0 : steps->items.size();
  };
  EXPECT_EQ(steps_of("denoising_step_list_first_chunk: [1000, 750, 500, 250]\n"), 4u);
  EXPECT_EQ(steps_of("denoising_step_list_first_chunk: [1000, 500, 0]\n"), 2u) << "no step starts at 0";
  EXPECT_EQ(steps_of("denoising_step_list_first_chunk:\n"), 0u) << "theirs: as the others";
  EXPECT_EQ(steps_of(""), 0u);
}

TEST(FlatConfig, TheReleaseStreamsTheStepsOfTheFirstChunkAndDoesNotTrainThem) {
  constexpr const char* kKey = "denoising_step_list_first_chunk";
  const std::string steps = "denoising_step_list: [1000]\ndenoising_step_list_first_chunk: [1000, 500, 0]\n";
  const auto said = [&](const std::string& more) { return said_of(translate(steps + more).notes, kKey); };
  EXPECT_THAT(said("per_rank_exit_step: true\n"),
              AllOf(HasSubstr("[] its training never reads it"),
                    HasSubstr("sgf generate --set 'schedule.first_block_steps=[1000, 500]'")));
  EXPECT_THAT(said("per_rank_exit_step: true\nnum_output_frames: 120\n"), HasSubstr("[schedule.first_block_steps]"));
  EXPECT_THAT(said(""), HasSubstr("[schedule.first_block_steps]"));
}

TEST(FlatConfig, TakesAShiftOfTheScoresBesideTheNetworks) {
  const std::string network = "real_name: x\nmodel_kwargs: {timestep_shift: 8.0}\n";
  const auto said = [&](const std::string& file, const char* key) { return said_of(translate(file).notes, key); };
  EXPECT_THAT(said("timestep_shift: 5\n" + network, "timestep_shift"), HasSubstr("dmd.score_shift: 5"));
  EXPECT_THAT(said("timestep_shift: 5\n" + network, "model_kwargs.timestep_shift"), HasSubstr("schedule.shift: 8"));
  EXPECT_THAT(said("timestep_shift: 8\n" + network, "timestep_shift"), Not(HasSubstr("dmd.score_shift")));
}

TEST(FlatConfig, TakesTheLeastScoreTimeAfterTheShift) {
  const std::string file = "real_name: x\ntimestep_shift: 5\nmin_score_timestep: 250\n";
  const auto said = [&](const std::string& more) {
    return said_of(translate(file + more).notes, "min_score_timestep");
  };
  EXPECT_THAT(said("ts_schedule: false\n"), HasSubstr("dmd.least_score_time: 625"));
  for (const char* schedule : {"", "ts_schedule: true\n"})  // the limit is the exit's next step
    EXPECT_THAT(said(schedule), HasSubstr("[] its trainer does not read it")) << schedule;
}

TEST(FlatConfig, RefusesSettingsThatContradictEachOther) {
  EXPECT_THAT(refusal_of_flat("image_or_video_shape: [1, 21, 16, 60, 104]\nnum_training_frames: 27\n"),
              HasSubstr("must equal the"));
  EXPECT_THAT(refusal_of_flat("image_or_video_shape: [1, 21]\n"), HasSubstr("[B, F, C, H, W], got 2"));
  EXPECT_THAT(refusal_of_flat("num_frame_per_block: 3\nmodel_kwargs: {local_attn_size: 2}\n"),
              HasSubstr("must be -1 or at least a block"));
}

TEST(FlatConfig, IsToldFromAFileInSections) {
  const auto is_flat = [](std::string_view yaml) {
    return is_flat_config(parse_yaml(yaml, {.source = "x", .line = 1, .column = 1}));
  };
  EXPECT_TRUE(is_flat("lr_critic: 1\n"));
  EXPECT_FALSE(is_flat("negative_prompt: x\nname: y\n"));
  EXPECT_FALSE(is_flat("lr_critic: 1\nmodel: {dim: 96}\n"));
}

TEST(FlatConfig, AFlatKeyAmongSectionsIsNamedWithOurs) {
  const ConfigNode tree = parse_yaml("model: {dim: 96}\nlr_critic: 1\n", {.source = "x.yaml", .line = 1, .column = 1});
  EXPECT_THAT(refusal_of([&] { refuse_flat_keys(tree); }),
              AllOf(HasSubstr("x.yaml:2"), HasSubstr("use critic_optimiser.learning_rate")));
}

}  // namespace
}  // namespace sgf
