#include "sgf/model/recompute.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

namespace sgf {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct PieceHolder : torch::CustomClassHolder {
  Piece piece;
  explicit PieceHolder(Piece p) : piece(std::move(p)) {}
};

// Fresh leaves with the same values, so that the second run builds a separate graph.
variable_list as_leaves(const variable_list& inputs, const std::vector<bool>& wants_grad) {
  variable_list leaves;
  for (size_t i = 0; i < inputs.size(); ++i) leaves.push_back(inputs[i].detach().requires_grad_(wants_grad[i]));
  return leaves;
}

variable_list those_that_want_grad(const variable_list& leaves) {
  variable_list out;
  for (const at::Tensor& leaf : leaves)
    if (leaf.requires_grad()) out.push_back(leaf);
  return out;
}

struct Recomputed : torch::autograd::Function<Recomputed> {
  static at::Tensor forward(AutogradContext* ctx, const c10::intrusive_ptr<PieceHolder>& holder,
                            const at::TensorList& inputs) {
    ctx->save_for_backward(inputs.vec());
    ctx->saved_data["piece"] = c10::IValue::make_capsule(holder);
    return holder->piece(inputs.vec());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list inputs = ctx->get_saved_variables();
    const auto holder = c10::static_intrusive_pointer_cast<PieceHolder>(ctx->saved_data["piece"].toCapsule());
    std::vector<bool> wants_grad;
    for (size_t i = 0; i < inputs.size(); ++i) wants_grad.push_back(inputs[i].defined() && inputs[i].requires_grad());
    at::AutoGradMode with_graph(true);
    const variable_list leaves = as_leaves(inputs, wants_grad);
    const variable_list found = torch::autograd::grad({holder->piece(leaves)}, those_that_want_grad(leaves), {grads[0]},
                                                      /*retain_graph=*/false, /*create_graph=*/false,
                                                      /*allow_unused=*/true);
    variable_list out{at::Tensor()};
    size_t next = 0;
    for (const bool wanted : wants_grad) out.push_back(wanted ? found[next++] : at::Tensor());
    return out;
  }
};

}  // namespace

at::Tensor recomputed(const Piece& piece, const std::vector<at::Tensor>& inputs) {
  return Recomputed::apply(c10::make_intrusive<PieceHolder>(piece), at::TensorList(inputs));
}

}  // namespace sgf
