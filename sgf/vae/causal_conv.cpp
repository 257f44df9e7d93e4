#include "sgf/vae/causal_conv.h"

#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

// Tensor cores need channel counts in multiples of eight. Frames have three, at the input and at the output.
at::Tensor in_eights(const at::Tensor& weight, int64_t dimension) {
  const int64_t short_of = (8 - weight.size(dimension) % 8) % 8;
  const bool pays = weight.is_cuda() && weight.scalar_type() == at::kBFloat16 && weight.size(dimension) == 3;
  if (!pays || short_of == 0) return weight;
  std::vector<int64_t> more = weight.sizes().vec();
  more[static_cast<size_t>(dimension)] = short_of;
  return at::cat({weight, at::zeros(more, weight.options())}, dimension);
}

}  // namespace

size_t VaeParts::take_slot(const std::string& name) {
  slots.push_back(name);
  return slots.size() - 1;
}

at::Tensor VaeParts::wide_vector(const std::string& name) const { return wide(weights.at(name)).view({-1}); }

at::Tensor VaeParts::placed(const std::string& name) const {
  const at::Tensor& weight = weights.at(name);
  return weight.contiguous(weight.dim() == 5 ? video_layout(weight) : picture_layout(weight));
}

at::MemoryFormat video_layout(const at::Tensor& like) {
  return like.is_cuda() ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::Contiguous;
}

at::MemoryFormat picture_layout(const at::Tensor& like) {
  return like.is_cuda() ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
}

CausalConv::CausalConv(VaeParts& parts, const std::string& name)
    : bias_(parts.wide_vector(name + ".bias")), slot_(parts.take_slot(name)) {
  const at::Tensor weight = in_eights(in_eights(parts.weights.at(name + ".weight"), 0), 1);
  weight_ = weight.contiguous(video_layout(weight));
}

at::Tensor CausalConv::buffer(const at::Tensor& like, const VaeState& state) const {
  const at::Tensor buffer = at::empty({like.size(0), weight_.size(1), kPast + like.size(2), like.size(3), like.size(4)},
                                      weight_.options(), video_layout(weight_));
  const at::Tensor past = buffer.narrow(2, 0, kPast), &held = state.history[slot_];
  if (held.defined())
    past.copy_(held);
  else
    past.zero_();
  return buffer;
}

at::Tensor CausalConv::fresh(const at::Tensor& buffer) { return buffer.narrow(2, kPast, buffer.size(2) - kPast); }

at::Tensor CausalConv::operator()(const at::Tensor& buffer, VaeState& state) const {
  // A copy: a view would keep the whole buffer alive until the next piece.
  state.history[slot_] = buffer.narrow(2, buffer.size(2) - kPast, kPast).clone();
  const int64_t pad = weight_.size(3) / 2;
  return at::conv3d(buffer, weight_, /*bias=*/{}, /*stride=*/{1, 1, 1}, at::IntArrayRef{0, pad, pad});
}

at::Tensor CausalConv::apply(const at::Tensor& x, VaeState& state) const {
  const at::Tensor all = buffer(x, state), target = fresh(all);
  target.narrow(1, 0, x.size(1)).copy_(x);
  if (target.size(1) > x.size(1)) target.narrow(1, x.size(1), target.size(1) - x.size(1)).zero_();
  return (*this)(all, state);
}

}  // namespace sgf
