#include "sgf/assembly/networks_from_config.h"

#include "sgf/assembly/config_parts.h"
#include "sgf/assembly/start_file.h"
#include "sgf/assembly/start_weights.h"
#include "sgf/core/error.h"

namespace sgf {
at::ScalarType compute_type(const Config& c) {
  switch (c.run.dtype) {
    case ComputeDtype::kFloat64:
      return at::kDouble;
    case ComputeDtype::kFloat32:
      return at::kFloat;
    case ComputeDtype::kBFloat16:
      return at::kBFloat16;
  }
  fail("no such dtype");
}

at::ScalarType master_type(const Config& c) { return c.run.dtype == ComputeDtype::kFloat64 ? at::kDouble : at::kFloat; }

DitOptions dit_options_of(const Config& c) {
  return {.attention = c.run.attention, .activations = c.train.activations};
}

RolloutSettings rollout_settings_of(const Config& c) {
  return {.policy = c.context.policy(),
          .layout = layout_of(c),
          .timesteps = c.schedule.timesteps(),
          .cache = c.dmd.cache,
          .sigma = c.schedule.sigma_rule()};
}

DitWeights weights_of(const Config& c, const std::string& source, at::TensorOptions options) {
  return source.empty() ? random_dit_weights(c.model, static_cast<uint64_t>(c.run.seed), options)
                        : read_start_weights(source, c.model, options);
}

CausalDit build_network(const Config& c, const std::string& weights, c10::Device device) {
  const auto compute = at::TensorOptions().device(device).dtype(compute_type(c));
  return CausalDit(c.model, weights_of(c, weights, compute), dit_options_of(c));
}

CausalDit build_teacher(const Config& c, const std::string& source, c10::Device device) {
  const DitConfig config = read_teacher_config(source, c.model);
  const auto compute = at::TensorOptions().device(device).dtype(compute_type(c));
  return CausalDit(config, read_start_weights(source, config, compute), dit_options_of(c));
}

}  // namespace sgf
