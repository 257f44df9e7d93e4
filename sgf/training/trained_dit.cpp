#include "sgf/training/trained_dit.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

namespace sgf {
namespace {

// Leaves of the graph: the masters' own memory if the dtype is equal, else a copy.
DitWeights compute_weights(const DitWeights& masters, at::ScalarType compute) {
  DitWeights weights = masters;
  visit_weights(weights, [&](const std::string& name, at::Tensor& tensor) {
    SGF_CHECK(tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble,
              "master weights must be float32, but '{}' is {}", name, c10::toString(tensor.scalar_type()));
    tensor = tensor.detach().to(compute).requires_grad_();
  });
  return weights;
}

}  // namespace

TrainedDit::TrainedDit(const DitConfig& config, const DitWeights& masters, at::ScalarType compute, DitOptions options)
    : masters_(named_parameters(masters)), network_(config, compute_weights(masters, compute), options) {
  for (const auto& [name, tensor] : named_parameters(network_.weights())) weights_.push_back(tensor);
}

std::vector<at::Tensor> TrainedDit::gradients(const at::Tensor& loss) const {
  auto found = torch::autograd::grad({loss}, weights_, {}, /*retain_graph=*/std::nullopt, /*create_graph=*/false,
                                     /*allow_unused=*/true);
  for (size_t i = 0; i < found.size(); ++i)
    if (!found[i].defined()) found[i] = at::zeros_like(weights_[i]);
  if (found.empty() || found[0].scalar_type() == masters_[0].second.scalar_type()) return found;
  std::vector<at::Tensor> widened;
  for (const auto& [name, master] : masters_) widened.push_back(at::empty_like(master));
  at::_foreach_copy_(widened, found);  // on a GPU a few launches for all of them
  return widened;
}

void TrainedDit::sync() { set_weights(network_, masters_); }

CausalDit with_weights(const CausalDit& like, const NamedTensors& masters) {
  DitWeights weights = like.weights();
  size_t next = 0;
  visit_weights(weights, [&](const std::string& name, at::Tensor& tensor) {
    SGF_CHECK(next < masters.size() && masters[next].first == name, "weight '{}' is missing or out of order", name);
    tensor = masters[next++].second.detach().to(tensor.options().requires_grad(false), /*non_blocking=*/false,
                                                /*copy=*/true);
  });
  return CausalDit(like.config(), weights, like.options());
}

void set_weights(const CausalDit& dit, const NamedTensors& masters) {
  std::vector<at::Tensor> to, from;
  for (const auto& [name, tensor] : named_parameters(dit.weights())) {
    SGF_CHECK(to.size() < masters.size() && masters[to.size()].first == name, "weight '{}' is missing or out of order",
              name);
    from.push_back(masters[to.size()].second.detach());
    to.push_back(tensor.detach());
  }
  const at::NoGradGuard no_grad;
  if (!to.empty() && !to[0].is_alias_of(from[0])) at::_foreach_copy_(to, from);
}

}  // namespace sgf
