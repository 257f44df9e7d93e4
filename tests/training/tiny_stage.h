// A distribution-matching stage of three small networks, shared by the tests of it.
#pragma once

#include "sgf/training/dmd_stage.h"
#include "tests/model/tiny_dit.h"

namespace sgf::testing {

inline DmdStageSettings stage_settings(int64_t global_batch, int64_t micro_batch) {
  return {
      .dmd = {.rollout = {{.sink_frames = 1, .fifo_frames = 2}, BlockLayout(3, 1), {1000.0, 937.5}}, .guidance = 0.5},
      .generator = {.optimiser = {.learning_rate = 1e-3}},
      .critic = {.optimiser = {.learning_rate = 1e-3}},
      .schedule = {.generator_every = 2},
      .ema_decay = 0.9,
      .ema_start_step = 4,
      .batch = {.global = global_batch, .micro = micro_batch},
      .seed = 11,
      .latent = {3, 3, 4, 6}};
}

inline TrainedDit network(uint64_t seed, at::ScalarType dtype) {
  return TrainedDit(small_config(2, 1), random_dit_weights(small_config(2, 1), seed, dtype), dtype, {});
}

inline DmdStage stage(int64_t global_batch, int64_t micro_batch, at::ScalarType dtype = at::kFloat,
                      const Ranks& ranks = Ranks::alone()) {
  const auto prompts = [dtype](UpdateKind kind, int64_t step, int64_t first, int64_t count) {
    const at::Tensor all = draw(kind == UpdateKind::kCritic ? 1 : 2, step, {8, 4, 10}, at::TensorOptions(dtype));
    const at::Tensor cond = all.slice(0, first, first + count);
    return ScoreText{cond, at::zeros_like(cond)};
  };
  return DmdStage(stage_settings(global_batch, micro_batch), network(1, dtype), network(2, dtype).network(),
                  network(3, dtype), {.prompts = prompts}, ranks);
}

}  // namespace sgf::testing
