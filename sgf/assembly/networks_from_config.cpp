#include "sgf/assembly/networks_from_config.h"

#include "sgf/assembly/config_parts.h"
#include "sgf/core/error.h"
#include "sgf/weights/load_dit.h"
#include "sgf/weights/merge_lora.h"
#include "sgf/weights/stored_config.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

namespace fs = std::filesystem;

void check_architecture(const DitConfig& found, const DitConfig& wanted, const fs::path& path) {
  const auto differ = [&](std::string_view what, int64_t there, int64_t here) {
    SGF_CHECK(there == here, "{}: holds a network of another architecture: {} is {}, but {} in this config",
              path.string(), what, there, here);
  };
  differ("dim", found.dim, wanted.dim);
  differ("num_layers", found.num_layers, wanted.num_layers);
  differ("ffn_dim", found.ffn_dim, wanted.ffn_dim);
  differ("in_dim", found.in_dim, wanted.in_dim);
  differ("out_dim", found.out_dim, wanted.out_dim);
  differ("text_dim", found.text_dim, wanted.text_dim);
  differ("freq_dim", found.freq_dim, wanted.freq_dim);
}

// Tensor shapes do not show the number of heads: weights with another number would load and compute wrong values.
void check_stored_config(const TensorFile& file, const DitConfig& wanted, const fs::path& path) {
  const std::optional<DitConfig> stored = find_stored_config(file, path).config;
  SGF_CHECK(!stored || stored->num_heads == wanted.num_heads,
            "{}: holds a network of another architecture: num_heads is {}, but {} in this config", path.string(),
            stored ? stored->num_heads : 0, wanted.num_heads);
}

void check_source(const std::string& source, const DitConfig& config, WeightPurpose purpose) {
  if (!source.empty()) check_start_weights(open_start_weights(source, purpose), config);
}

void check_teacher(const std::string& source, const DitConfig& student) {
  if (!source.empty()) check_source(source, read_teacher_config(source, student), WeightPurpose::kTraining);
}

}  // namespace

void check_start_weights(const StartWeights& start, const DitConfig& config) {
  check_architecture(infer_dit_sizes(start.index), config, start.path);
  check_stored_config(start.file, config, start.path);
  check_dit_weights(config, start.file, start.index);
}

void check_weights_of_stage(const Config& c) {
  check_source(c.train.start_from, c.model, WeightPurpose::kTraining);
  if (c.train.stage == StageChoice::kCausalCd) check_teacher(c.distil.teacher, c.model);
  if (c.train.stage != StageChoice::kDmd) return;
  check_teacher(c.dmd.teacher, c.model);
  if (c.dmd.critic.empty())  // it starts as the teacher
    check_source(c.dmd.teacher, c.model, WeightPurpose::kTraining);
  else
    check_source(c.dmd.critic, c.model, WeightPurpose::kCritic);
}

DitWeights read_start_weights(const fs::path& path, const DitConfig& config, at::TensorOptions options,
                              const WeightChoice& choice) {
  const StartWeights start = open_start_weights(path, choice.purpose);
  check_start_weights(start, config);
  return load_dit_weights(config, start.file, start.index, options, LoraSum(choice.loras, start.index, start.path));
}

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
          .sigma = c.schedule.sigma_rule(),
          .context_sigma = c.schedule.sigma_rule().at(0),
          .first_timesteps = c.schedule.first_block_timesteps()};
}

DitWeights weights_of(const Config& c, const std::string& source, at::TensorOptions options,
                      const WeightChoice& choice) {
  return source.empty() ? random_dit_weights(c.model, static_cast<uint64_t>(c.run.seed), options)
                        : read_start_weights(source, c.model, options, choice);
}

CausalDit build_network(const Config& c, const std::string& weights, c10::Device device,
                        const std::vector<LoraUse>& loras) {
  const auto compute = at::TensorOptions().device(device).dtype(compute_type(c));
  DitWeights read = weights_of(c, weights, compute, {.purpose = WeightPurpose::kInference, .loras = loras});
  join_projections(read);
  return CausalDit(c.model, std::move(read), dit_options_of(c));
}

CausalDit build_teacher(const Config& c, const std::string& source, c10::Device device) {
  const DitConfig config = read_teacher_config(source, c.model);
  const auto compute = at::TensorOptions().device(device).dtype(compute_type(c));
  return CausalDit(config, read_start_weights(source, config, compute, {.purpose = WeightPurpose::kTraining}),
                   dit_options_of(c));
}

}  // namespace sgf
