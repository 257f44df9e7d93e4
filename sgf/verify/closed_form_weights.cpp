#include "sgf/verify/closed_form_weights.h"

#include "sgf/core/file_error.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sgf {
namespace {

// value = (base + slope * x) * gain, with x uniform in [-1, 1), or in [0, 1) if one-sided.
struct Affine {
  double base = 0;
  double slope = 1;
  bool is_one_sided = false;
};

bool is_embedding(std::string_view leaf) {
  constexpr std::array<std::string_view, 8> kEmbeddings{
      "cls_token",    "pos_embed", "mask_token", "class_embedding", "positional_embedding",
      "position_emb", "scale_emb", "cls"};
  return std::ranges::find(kEmbeddings, leaf) != kEmbeddings.end();
}

double fan_in(const WeightRule& rule, at::IntArrayRef shape) {
  const bool is_transposed = rule.is_amt && shape.size() == 4 && shape[2] == 4 && shape[3] == 4;
  if (is_transposed) return static_cast<double>(shape[0]) * 16;
  double product = 1;
  for (size_t i = 1; i < shape.size(); ++i) product *= static_cast<double>(shape[i]);
  return product;
}

Affine affine_of(const WeightRule& rule, std::string_view name, at::IntArrayRef shape) {
  const std::string_view leaf = name.substr(name.rfind('.') + 1);  // the whole name if it has no dot
  if (leaf == "running_var") return {.base = 1, .slope = 0.5, .is_one_sided = true};
  if (leaf == "running_mean" || is_embedding(leaf)) return {.slope = 0.1};
  if (leaf == "bias" || leaf == "in_proj_bias") return {.slope = 0.05};
  if (shape.size() < 2) return {.base = rule.is_amt ? 0.25 : 1.0, .slope = 0.1};
  return {.slope = std::sqrt(3 / fan_in(rule, shape))};
}

double unit_interval(uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

at::Tensor filled(const std::string& hashed, at::IntArrayRef shape, const Affine& affine, double gain) {
  const at::Tensor out = at::empty(shape, at::kFloat);
  float* const values = out.data_ptr<float>();
  const uint64_t start = fnv1a64(hashed);
  at::parallel_for(0, out.numel(), 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double u = unit_interval(splitmix64(start + static_cast<uint64_t>(i)));
      const double x = affine.is_one_sided ? u : 2 * u - 1;
      values[i] = static_cast<float>((affine.base + affine.slope * x) * gain);
    }
  });
  return out;
}

}  // namespace

uint64_t splitmix64(uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

uint64_t fnv1a64(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

WeightRule recorded_rule(const Recording& recording) {
  WeightRule rule{.salt = recording.text("salt"), .prefix = {}, .gains = {}, .is_amt = recording.kind() == "amt"};
  if (!recording.has_setting("gains")) return rule;
  for (const auto& [name, gain] : recording.setting("gains").items()) {
    SGF_CHECK_FILE(gain.is_number(), recording.path(), "the gain of {} must be a number, got {}", name, gain.dump());
    rule.gains[name] = gain.get<double>();
  }
  return rule;
}

at::Tensor closed_form_weight(const WeightRule& rule, const std::string& name, at::IntArrayRef shape) {
  const auto gain = rule.gains.find(name);
  const Affine affine = affine_of(rule, rule.prefix + name, shape);
  return filled(rule.hashed(name), shape, affine, gain == rule.gains.end() ? 1 : gain->second);
}

at::Tensor closed_form_input(const WeightRule& rule, const std::string& name, at::IntArrayRef shape) {
  return filled(rule.hashed(name), shape, {.slope = 2}, 1);
}

NetworkWeights closed_form_weights(const WeightRule& rule, at::TensorOptions options) {
  const auto make = [rule](const std::string& name, at::IntArrayRef shape) {
    return closed_form_weight(rule, name, shape);
  };
  return {make, options, "the closed-form rule"};
}

}  // namespace sgf
