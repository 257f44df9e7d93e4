#include "sgf/diagnosis/feasibility.h"

#include "sgf/core/device_memory.h"
#include "sgf/core/error.h"
#include "sgf/core/memory_watch.h"
#include "sgf/kernels/wide.h"
#include "sgf/reconstruction/reconstruct.h"
#include "sgf/rollout/roll_out_with_graph.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace sgf {
namespace {

constexpr std::array kMethods{
    std::pair{GradientMethod::kSelfForcing, "sf"}, std::pair{GradientMethod::kSelfGradientForcing, "sgf"},
    std::pair{GradientMethod::kDirectCache, "direct-cache"}, std::pair{GradientMethod::kBptt, "bptt"}};

at::Tensor two_passes(const FeasibilitySettings& s, GradientBoundary boundary) {
  const ExitRecord record = roll_out(s.dit, prompt_for_rollout(s.dit, s.text), s.rollout, s.exit_step, s.noise);
  return reconstruct(s.dit, s.dit.embed(s.text), record, boundary);
}

at::Tensor serially(const FeasibilitySettings& s, RolloutGraph graph) {
  return roll_out_with_graph(s.dit, s.dit.prepare(s.text), s.rollout, s.exit_step, s.noise, graph);
}

at::Tensor prediction_of(GradientMethod method, const FeasibilitySettings& s) {
  switch (method) {
    case GradientMethod::kSelfForcing:
      return two_passes(s, GradientBoundary::kFrozenContext);
    case GradientMethod::kSelfGradientForcing:
      return two_passes(s, GradientBoundary::kOpenContext);
    case GradientMethod::kDirectCache:
      return serially(s, RolloutGraph::kCacheWrites);
    case GradientMethod::kBptt:
      break;
  }
  return serially(s, RolloutGraph::kEverything);
}

int64_t weight_bytes(const CausalDit& dit) {
  size_t bytes = 0;
  for (const auto& [name, tensor] : named_parameters(dit.weights())) bytes += tensor.nbytes();
  return static_cast<int64_t>(bytes);
}

at::Tensor defined_or_zero(const at::Tensor& a, const at::Tensor& like) {
  return a.defined() ? a.to(at::kDouble) : at::zeros(like.sizes(), like.options().dtype(at::kDouble));
}

double squared_norm(const at::Tensor& t) { return t.to(at::kDouble).square().sum().item<double>(); }

FeasibilityRow measured_run(GradientMethod method, const FeasibilitySettings& s) {
  const c10::Device device = s.target.device();
  FeasibilityRow row{.method = method};
  LossAndGradients result;
  differentiate(method, s);  // the warm-up
  const MemoryWatch watch(device);
  const auto start = std::chrono::steady_clock::now();
  result = differentiate(method, s);
  synchronize(device);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  row.peak_bytes = weight_bytes(s.dit) + watch.peak_bytes();
  row.loss = result.loss.item<double>();
  double squares = 0;
  for (const at::Tensor& gradient : result.gradients) {
    row.gradients.push_back(gradient.defined() ? gradient.cpu() : gradient);
    if (gradient.defined()) squares += squared_norm(gradient);
  }
  row.gradient_norm = std::sqrt(squares);
  return row;
}

}  // namespace

GradientMethod gradient_method_from_name(std::string_view name) {
  for (const auto& [method, known] : kMethods)
    if (name == known) return method;
  fail("unknown method '{}'; use sf, sgf, direct-cache or bptt", name);
}

std::string_view name_of(GradientMethod method) {
  for (const auto& [known, name] : kMethods)
    if (method == known) return name;
  return "?";
}

LossAndGradients differentiate(GradientMethod method, const FeasibilitySettings& s) {
  const at::Tensor x = wide(prediction_of(method, s));
  std::vector<at::Tensor> weights;
  for (const auto& [name, tensor] : named_parameters(s.dit.weights())) weights.push_back(tensor);
  const at::Tensor loss = (x - s.target).square().mean() * 0.5;
  return {loss.detach(), torch::autograd::grad({loss}, weights, {}, /*retain_graph=*/std::nullopt,
                                               /*create_graph=*/false, /*allow_unused=*/true)};
}

FeasibilityRow measure_feasibility(GradientMethod method, const FeasibilitySettings& s) {
  try {
    return measured_run(method, s);
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
  }
  // Outside the handler, since the exception holds memory that the next method needs.
  release_cached_memory(s.target.device());
  return {.method = method, .ran_out_of_memory = true};
}

double gradient_distance(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  SGF_CHECK(a.size() == b.size(), "gradients to compare must have the same number of weights, got {} and {}", a.size(),
            b.size());
  double apart = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].defined() && !b[i].defined()) continue;
    const at::Tensor& like = a[i].defined() ? a[i] : b[i];
    const at::Tensor ours = defined_or_zero(a[i], like), theirs = defined_or_zero(b[i], like);
    apart += squared_norm(ours - theirs);
    size += squared_norm(theirs);
  }
  return std::sqrt(apart / size);
}

}  // namespace sgf
