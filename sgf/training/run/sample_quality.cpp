#include "sgf/training/run/sample_quality.h"

#include "sgf/core/error.h"
#include "sgf/world/caption.h"
#include "sgf/world/measure.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace sgf {
namespace {

constexpr double kRounding = 0.02;   // five of 255 levels: codecs leave [0, 1] by as much
constexpr double kNoSpread = 1e-12;  // of a variance: below it there is nothing to correlate

// Of values that lie next to each other along a dimension, against their variance; `x` has zero mean.
double neighbour_correlation(const at::Tensor& x, int64_t dim) {
  const int64_t size = x.size(dim);
  if (size < 2) return 0;
  const double together = (x.narrow(dim, 0, size - 1) * x.narrow(dim, 1, size - 1)).mean().item<double>();
  return together / x.square().mean().item<double>();
}

double correlation_of(const at::Tensor& latents) {
  const at::Tensor x = latents - latents.mean({0, 2, 3}, true);  // of each channel, over the video
  if (x.square().mean().item<double>() < kNoSpread) return 1;    // flat, and so no noise
  const double space = (neighbour_correlation(x, 2) + neighbour_correlation(x, 3)) / 2;
  return std::max(space, neighbour_correlation(x, 0));
}

double contrast_of(const at::Tensor& frames) {
  return frames.clamp(0, 1).var({2, 3}, false).mean({1}).sqrt().mean().item<double>();
}

double clipped_share(const at::Tensor& frames) {
  return frames.lt(-kRounding).logical_or(frames.gt(1 + kRounding)).to(at::kDouble).mean().item<double>();
}

// Prompts of a config may be words of the world in another order than a caption's.
std::optional<WorldCaption> caption_of(const std::string& prompt) {
  try {
    return parse_caption(prompt);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<double> valid_share(const SampleView& sample) {
  if (sample.world.empty()) return std::nullopt;
  const WorldPreset world = world_preset(sample.world);
  const std::optional<WorldCaption> caption = caption_of(sample.prompt);
  if (!caption || std::ssize(caption->objects) != world.objects) return std::nullopt;
  return measure(sample.frames, *caption, world).whole.valid;
}

bool is_finite(const at::Tensor& x) { return x.isfinite().all().item<bool>(); }

}  // namespace

StepMetrics measure_sample(const SampleView& sample) {
  const at::Tensor latents = sample.latents.to(at::kCPU, at::kDouble), frames = sample.frames.to(at::kCPU, at::kDouble);
  if (!is_finite(latents) || !is_finite(frames)) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {{"sample_correlation", kNone}, {"sample_contrast", kNone}, {"sample_clipped", kNone}};
  }
  StepMetrics metrics{{"sample_correlation", correlation_of(latents)},
                      {"sample_contrast", contrast_of(frames)},
                      {"sample_clipped", clipped_share(frames)}};
  if (const std::optional<double> valid = valid_share(sample)) metrics["sample_valid"] = *valid;
  return metrics;
}

StepMetrics mean_of_samples(const std::vector<StepMetrics>& samples) {
  std::map<std::string, std::pair<double, int64_t>> sums;
  for (const StepMetrics& metrics : samples)
    for (const auto& [name, value] : metrics) sums[name].first += value, ++sums[name].second;
  StepMetrics means;
  for (const auto& [name, sum] : sums) means[name] = sum.first / static_cast<double>(sum.second);
  return means;
}

}  // namespace sgf
