// A run on the tiny world with next to no network, and how it is started without a word.
#pragma once

#include "sgf/training/run/train_run.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgf::testing {

inline Config small_run(StageChoice stage, int64_t steps) {
  Config c = load_config("world-tiny", {}, {SGF_PRESETS});
  c.model.dim = c.model.ffn_dim = 24;
  c.model.num_heads = 2;
  c.model.num_layers = 1;
  c.video.frames = 6;
  c.train.stage = stage;
  c.train.steps = steps;
  c.train.global_batch = 3;
  c.train.micro_batch = 2;
  c.optimiser.learning_rate = c.critic_optimiser.learning_rate = 1e-3;
  c.run.device = DeviceKind::kCpu;
  c.dmd.generator_every = 2;
  c.output.checkpoint_every = c.output.sample_every = c.output.report_every = 0;
  return c;
}

inline TrainResult train(const Config& config, const std::filesystem::path& out, bool resume = false,
                         int64_t stop_after = 0) {
  return run_training({.config = config,
                       .out = out,
                       .resume = resume,
                       .stop_after_steps = stop_after,
                       .facts = nlohmann::json::object(),
                       .progress = ProgressMode::kQuiet});
}

}  // namespace sgf::testing
