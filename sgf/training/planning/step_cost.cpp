#include "sgf/training/planning/step_cost.h"

#include "sgf/assembly/config_parts.h"

#include <algorithm>

namespace sgf {
namespace {

constexpr double kTera = 1e12;

PatchGrid grid_of(const Config& c) {
  return PatchGrid(c.video.height, c.video.width, c.model.patch_size[1], c.model.patch_size[2]);
}

// The mean number of steps in which a block with `all` of them is denoised.
double mean_steps(const Config& c, size_t all) {
  const bool stops_at_exit = c.dmd.exit == ExitSharing::kShared && c.dmd.cache == CacheLatents::kExit;
  const auto last = static_cast<double>(all);
  return stops_at_exit ? (std::min(static_cast<double>(c.dmd.first_exit), last) + last) / 2 : last;
}

// Every block is denoised and written to the cache.
PhaseCost rollout_cost(const Config& c, const std::string& name) {
  const DitConfig model = c.model;
  const BlockLayout layout = layout_of(c);
  const ContextPolicy policy = c.context.policy();
  const double steps = mean_steps(c, c.schedule.denoising_steps.size());
  const double first_steps =
      c.schedule.first_block_steps.empty() ? steps : mean_steps(c, c.schedule.first_block_steps.size());
  PhaseCost cost{.name = name, .forward = prompt_flops(model)};
  for (int64_t i = c.dmd.first_block_given ? 1 : 0; i < layout.count(); ++i)
    cost.forward = cost.forward + forward_flops(model, denoise_call(policy, layout.block(i), grid_of(c))) *
                                      (i == 0 ? first_steps : steps);
  for (int64_t i = 0; i < layout.count(); ++i)
    cost.forward = cost.forward + forward_flops(model, write_call(policy, layout.block(i), grid_of(c)));
  cost.serial_calls = static_cast<double>(layout.count()) * (steps + 1) + (first_steps - steps);
  return cost;
}

PhaseCost training_cost(const Config& c, const std::string& name, const CallShape& call) {
  const DitConfig model = c.model;
  PhaseCost cost{.name = name, .forward = forward_flops(model, call), .backward = backward_flops(model, call)};
  if (c.train.activations != ActivationPolicy::kKeepAll)
    cost.forward =
        cost.forward + recomputed_flops(model, call, c.train.activations == ActivationPolicy::kRecomputeBlocks);
  return cost;
}

std::vector<PhaseCost> dmd_costs(const Config& c, const DitConfig& teacher) {
  const CallShape whole = bidirectional_call(c.video.frames, grid_of(c));
  // The teacher with and without prompt, and the critic.
  const FlopCount scores = forward_flops(teacher, whole) * 2 + forward_flops(c.model, whole);
  std::vector<PhaseCost> costs{
      rollout_cost(c, "generator: rollout"),
      training_cost(c, "generator: Pass 2", parallel_call(c.context.policy(), layout_of(c), grid_of(c))),
      {.name = "generator: scores", .forward = scores}};
  for (PhaseCost& cost : costs) cost.updates_a_step = 1.0 / static_cast<double>(c.dmd.generator_every);
  costs.push_back(rollout_cost(c, "critic: rollout"));
  costs.push_back(training_cost(c, "critic: flow matching", whole));
  return costs;
}

}  // namespace

CallShape trained_call(const Config& c) {
  switch (c.train.stage) {
    case StageChoice::kFlowMatching:
      return bidirectional_call(c.video.frames, grid_of(c));
    case StageChoice::kBidirectionalOde:
      return block_causal_call(c.context.policy(), layout_of(c), grid_of(c));
    case StageChoice::kTeacherForcing:
    case StageChoice::kCausalOde:
    case StageChoice::kCausalCd:
    case StageChoice::kDmd:
      break;
  }
  return parallel_call(c.context.policy(), layout_of(c), grid_of(c));
}

std::vector<PhaseCost> step_costs(const Config& c, const std::optional<DitConfig>& teacher) {
  if (c.train.stage == StageChoice::kDmd) return dmd_costs(c, teacher.value_or(c.model));
  const CallShape call = trained_call(c);
  std::vector<PhaseCost> costs{training_cost(c, "network", call)};
  if (c.train.stage != StageChoice::kCausalCd) return costs;
  const double teacher_calls = c.distil.guidance == 1 ? 1 : 2;
  costs.push_back(
      {.name = "teacher and target",
       .forward = forward_flops(teacher.value_or(c.model), call) * teacher_calls + forward_flops(c.model, call)});
  return costs;
}

// Derived from the table of docs/performance.md (Wan2.1-1.3B, 21 latents of 60 x 104, batch 1), between its chunk-wise
// and frame-wise column. Products with weights: what the forward and backward of Pass 2 leave beside self-attention,
// 448 and 499, 472 and 466 TFLOP/s. Attention: one layer, 494 and 392 forward, 472 and 434 backward. Rollouts: 863
// TFLOP in 35 calls take 2.369 s, 937 TFLOP in 105 calls 4.024 s, and two equations have one solution.
std::optional<DeviceRates> measured_rates(std::string_view gpu, ComputeDtype dtype) {
  if (gpu != "h200" || dtype != ComputeDtype::kBFloat16) return std::nullopt;
  return DeviceRates{.linear_forward = 472 * kTera,
                     .linear_backward = 469 * kTera,
                     .attention_forward = 437 * kTera,
                     .attention_backward = 452 * kTera,
                     .serial = 536 * kTera,
                     .layer_overhead = 0.00072,
                     .source =
                         "sustained rates of one H200 in bfloat16, measured at Wan2.1-1.3B size "
                         "(docs/performance.md); small networks are slower, limited by kernel launches"};
}

double seconds_of(const PhaseCost& phase, const DeviceRates& rates, int64_t layers, int64_t samples) {
  const auto count = static_cast<double>(samples);
  if (phase.serial_calls > 0)
    return count * phase.flops().total() / rates.serial +
           phase.serial_calls * static_cast<double>(layers) * rates.layer_overhead;
  return count * (phase.forward.linear / rates.linear_forward + phase.forward.attention / rates.attention_forward +
                  phase.backward.linear / rates.linear_backward + phase.backward.attention / rates.attention_backward);
}

}  // namespace sgf
