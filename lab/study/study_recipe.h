// The file that fixes a study before its final runs: training, evaluation and analysis. Torch-free.
#pragma once

#include "sgf/config/config_schema.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// The matched pairs of one granularity.
struct StudyGranularity {
  std::string config;  // config of the Self Forcing run; dmd.boundary, run.seed and the keys below override it
  std::vector<std::string> set;  // further overrides
  std::string student;           // weights or a run folder, see train.start_from
  std::string teacher;
  int64_t steps = 0;           // of a run
  int64_t seeds = 0;           // matched pairs; 0: skip this granularity
  int64_t twice = 0;           // number of first pairs to train again for twice the steps
  int64_t prompts = 0;         // number of first evaluation.prompts; 0: all
  std::vector<int64_t> sinks;  // of the ablation, in frames; the window length stays constant

  bool operator==(const StudyGranularity&) const = default;
};

template <class V>
void describe(V& v, StudyGranularity& g) {
  v.field("config", g.config, "config of the Self Forcing run: a preset, or a file beside the recipe");
  v.field("set", g.set, "overrides of the config, as --set takes them");
  v.field("student", g.student, "weight file or run folder that every run starts from");
  v.field("teacher", g.teacher, "weight file or run folder of the bidirectional teacher");
  v.field("steps", g.steps, "updates per run");
  v.field("seeds", g.seeds, "number of matched pairs; 0 = none");
  v.field("twice", g.twice, "number of first pairs that are also trained for twice the updates");
  v.field("prompts", g.prompts, "number of first prompts of evaluation.prompts; 0 = all");
  v.field("sinks", g.sinks, "sinks of the ablation in latent frames, at the same total window");
}

struct StudyEvaluation {
  int64_t prompts = 128;
  int64_t prompt_seed = 1;
  int64_t first_prompt = int64_t{1} << 42;
  int64_t selection_prompts = 64;
  int64_t first_selection_prompt = int64_t{1} << 43;
  int64_t noise_seed = 1;
  int64_t batch = 128;
  int64_t window_frames = 12;
  std::vector<int64_t> segments = {1, 3, 6, 12, 24, 48};
  std::vector<int64_t> horizons = {1, 12, 48};
  int64_t sink_horizon = 12;
  int64_t teacher_steps = 48;
  double teacher_guidance = 1.5;
  int64_t recovery_rollouts = 8;
  int64_t probe_updates = 4;
  int64_t strip_prompts = 4;

  bool operator==(const StudyEvaluation&) const = default;
};

template <class V>
void describe(V& v, StudyEvaluation& e) {
  v.field("prompts", e.prompts, "prompts of the final table");
  v.field("prompt_seed", e.prompt_seed, "random seed of the world that draws the captions");
  v.field("first_prompt", e.first_prompt, "index of the first prompt");
  v.field("selection_prompts", e.selection_prompts, "prompts that settings are chosen on");
  v.field("first_selection_prompt", e.first_selection_prompt, "index of the first of those prompts");
  v.field("noise_seed", e.noise_seed, "random seed of the noise of the streams");
  v.field("batch", e.batch, "videos streamed together");
  v.field("window_frames", e.window_frames, "first frames, which later frames are compared with");
  v.field("segments", e.segments,
          "ends of the measured segments, in multiples of the training length; each is one length long");
  v.field("horizons", e.horizons, "segments shown in tables");
  v.field("sink_horizon", e.sink_horizon,
          "length of the streams of the sink ablation, in multiples of the training length");
  v.field("teacher_steps", e.teacher_steps, "Euler steps of the videos of the teacher");
  v.field("teacher_guidance", e.teacher_guidance, "guidance scale g of those videos in uncond + g (cond - uncond)");
  v.field("recovery_rollouts", e.recovery_rollouts,
          "rollouts per exit step that compare Pass 2 with Pass 1; 0 = not measured");
  v.field("probe_updates", e.probe_updates, "updates on which the context gradient is measured; 0 = not measured");
  v.field("strip_prompts", e.strip_prompts, "first prompts shown as strips");
}

struct StudyAnalysis {
  int64_t resamples = 2000;
  double confidence = 0.95;
  int64_t seed = 1;
  double least_difference = 0.001;
  std::vector<std::string> headline = {"valid", "identity_error", "landmark_drift"};

  bool operator==(const StudyAnalysis&) const = default;
};

template <class V>
void describe(V& v, StudyAnalysis& a) {
  v.field("resamples", a.resamples, "resamples of the bootstrap");
  v.field("confidence", a.confidence, "share of resamples inside an interval");
  v.field("seed", a.seed, "random seed of the bootstrap");
  v.field("least_difference", a.least_difference, "smallest difference that counts, whatever its interval");
  v.field("headline", a.headline, "metrics of the verdict, chosen before the runs");
}

struct StudyRecipe {
  std::string name;
  int64_t first_seed = 1;
  int64_t selection_seed = 1;  // seed of the first pair for the selection of settings
  StudyGranularity chunkwise;
  StudyGranularity framewise;
  StudyEvaluation evaluation;
  StudyAnalysis analysis;

  bool operator==(const StudyRecipe&) const = default;
};

template <class V>
void describe(V& v, StudyRecipe& r) {
  v.field("name", r.name, "name of the study");
  v.field("first_seed", r.first_seed, "run.seed of the first pair; each further pair adds 1");
  v.field("selection_seed", r.selection_seed, "run.seed of the first pair with --selection");
  v.field("chunkwise", r.chunkwise, "pairs that denoise several frames together");
  v.field("framewise", r.framewise, "pairs that denoise frame by frame");
  v.field("evaluation", r.evaluation, "what is streamed and measured");
  v.field("analysis", r.analysis, "how intervals and the verdict are computed");
}

// A recipe and the hash of its file.
struct RecipeFile {
  std::filesystem::path path;
  std::string sha256;
  StudyRecipe recipe;
};
RecipeFile read_study_recipe(const std::filesystem::path& path);

// Throws on values out of range, horizons that are not measured, overlapping prompt sets, and unknown metrics.
void validate(const StudyRecipe& recipe);

}  // namespace sgf
