#include "sgf/assembly/networks_from_config.h"

#include "sgf/assembly/config_parts.h"
#include "sgf/assembly/start_file.h"
#include "sgf/assembly/start_weights.h"
#include "sgf/core/error.h"

namespace sgf {
namespace {

ActivationPolicy activations_of(const Config& c) {
  switch (c.train.activations) {
    case ActivationChoice::kKeep:
      return ActivationPolicy::kKeepAll;
    case ActivationChoice::kRecompute:
      return ActivationPolicy::kRecomputeBlocks;
    case ActivationChoice::kKeepAttention:
      return ActivationPolicy::kKeepAttention;
  }
  fail("no such activation policy");
}

}  // namespace

at::ScalarType compute_type(const Config& c) {
  switch (c.run.dtype) {
    case DtypeChoice::kFloat64:
      return at::kDouble;
    case DtypeChoice::kFloat32:
      return at::kFloat;
    case DtypeChoice::kBFloat16:
      return at::kBFloat16;
  }
  fail("no such dtype");
}

at::ScalarType master_type(const Config& c) { return c.run.dtype == DtypeChoice::kFloat64 ? at::kDouble : at::kFloat; }

DitOptions dit_options_of(const Config& c) {
  return {.attention = attention_backend_from_name(enum_name(c.run.attention)), .activations = activations_of(c)};
}

RolloutSettings rollout_settings_of(const Config& c) {
  const bool is_final = c.dmd.cache == CacheChoice::kFinalClean;
  return {policy_of(c), layout_of(c), denoising_steps(c), is_final ? CacheLatents::kFinalClean : CacheLatents::kExit};
}

DitWeights weights_of(const Config& c, const std::string& source, at::TensorOptions options) {
  const DitConfig config = dit_config_of(c);
  return source.empty() ? random_dit_weights(config, static_cast<uint64_t>(c.run.seed), options)
                        : read_start_weights(source, config, options);
}

CausalDit build_network(const Config& c, const std::string& weights, c10::Device device) {
  const auto compute = at::TensorOptions().device(device).dtype(compute_type(c));
  return CausalDit(dit_config_of(c), weights_of(c, weights, compute), dit_options_of(c));
}

CausalDit build_teacher(const Config& c, const std::string& source, c10::Device device) {
  const DitConfig config = read_teacher_config(source, dit_config_of(c));
  const auto compute = at::TensorOptions().device(device).dtype(compute_type(c));
  return CausalDit(config, read_start_weights(source, config, compute), dit_options_of(c));
}

}  // namespace sgf
