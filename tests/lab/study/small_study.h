// A study that trains in a second: a network of one narrow layer on the smallest world.
#pragma once

#include "lab/study/study_arms.h"
#include "sgf/training/run/train_run.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <fmt/ranges.h>

namespace sgf::testing {

inline const std::vector<std::string> kSmallWorld{
    "model.dim=24",       "model.ffn_dim=32",         "model.freq_dim=16",       "model.num_heads=2",
    "model.num_layers=1", "video.frames=6",           "output.sample_every=0",   "output.report_every=0",
    "run.threads=1",      "output.tensorboard=false", "dmd.critic_only_steps=0", "dmd.generator_every=3"};

inline Config small_world(std::vector<std::string> more = {}) {
  more.insert(more.begin(), kSmallWorld.begin(), kSmallWorld.end());
  return load_config("world-tiny", more, {SGF_PRESETS});
}

// Two chunk-wise pairs of seven steps, from a teacher that was trained for one.
struct SmallStudy {
  TemporaryFolder folder;
  Study study;

  SmallStudy() {
    const std::string teacher = (folder / "teacher").string();
    run_training({.config = small_world({"train.stage=flow_matching", "train.steps=1"}),
                  .out = teacher,
                  .progress = ProgressMode::kQuiet});
    write_text(
        folder / "study.yaml",
        fmt::format("name: small\n"
                    "chunkwise: {{config: world-tiny, set: [{}], student: {}, teacher: {}, steps: 7, seeds: 2}}\n"
                    "evaluation: {{prompts: 2, segments: [1, 2], horizons: [1, 2], window_frames: 4}}\n",
                    fmt::join(kSmallWorld, ", "), teacher, teacher));
    study = {
        .file = read_study_recipe(folder / "study.yaml"), .folder = folder / "study", .preset_folders = {SGF_PRESETS}};
  }
};

}  // namespace sgf::testing
