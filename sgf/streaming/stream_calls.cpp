#include "sgf/streaming/stream_calls.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {

void StagedWrites::write(int64_t layer, FrameSpan, const KeysValues& own) {
  if (static_cast<size_t>(layer) >= staged_.size()) staged_.resize(static_cast<size_t>(layer) + 1);
  KeysValues& staged = staged_[static_cast<size_t>(layer)];
  if (!staged.keys.defined() || staged.keys.sizes() != own.keys.sizes())
    staged = {at::empty(own.keys.sizes(), own.keys.options()), at::empty(own.values.sizes(), own.values.options())};
  staged.keys.copy_(own.keys);
  staged.values.copy_(own.values);
}

void StagedWrites::commit(FrameSpan block) {
  for (size_t layer = 0; layer < staged_.size(); ++layer)
    cache_.write(static_cast<int64_t>(layer), block, staged_[layer]);
}

std::optional<int64_t> StreamCalls::repeated(FrameSpan block, const at::Tensor& latents) {
  if (!records_) return {};
  Geometry geometry{positions_.positions(cache_.policy(), block), block.frames()};
  auto found = std::ranges::find(geometries_, geometry);
  const bool is_new = found == geometries_.end();
  if (is_new) found = geometries_.insert(found, std::move(geometry));
  if (last_block_ != block) last_block_ = block, last_repeats_ = !is_new;
  if (!last_repeats_ || !dit_.lay_out(Serial{cache_, block, positions_}, latents)) return {};
  return found - geometries_.begin();
}

at::Tensor StreamCalls::flow(FrameSpan block, const PromptText& text, const at::Tensor& noisy, const at::Tensor& t) {
  const Serial context{cache_, block, positions_};
  const std::optional<int64_t> geometry = repeated(block, noisy);
  if (!geometry) return dit_.forward(noisy, t, text, context);
  const TensorWork work = [&](const std::vector<at::Tensor>& in) -> std::vector<at::Tensor> {
    return {dit_.forward(in[0], in[1], text, context)};
  };
  return recorded_.run(2 * *geometry, work, {noisy, t}).front();
}

void StreamCalls::write(FrameSpan block, const PromptText& text, const at::Tensor& clean) {
  const std::optional<int64_t> geometry = repeated(block, clean);
  if (!geometry) return dit_.write(clean, text, Serial{cache_, block, positions_});
  const TensorWork work = [&](const std::vector<at::Tensor>& in) -> std::vector<at::Tensor> {
    dit_.write(in[0], text, Serial{staged_, block, positions_});
    return {};
  };
  recorded_.run(2 * *geometry + 1, work, {clean});
  staged_.commit(block);
}

}  // namespace sgf
