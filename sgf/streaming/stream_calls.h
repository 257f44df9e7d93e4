// The network calls of one stream. While the window grows, every block has its own geometry. Once the window is full,
// the same call repeats with other numbers, and on a GPU it is recorded once as a CUDA graph and replayed.
#pragma once

#include "sgf/context/kv_cache.h"
#include "sgf/kernels/recorded_work.h"
#include "sgf/model/causal_dit.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace sgf {

// Receives what a write call stores in buffers of its own, so that a CUDA graph always writes to the same place.
// commit() copies the buffers to the cache.
class StagedWrites final : public ContextCache {
 public:
  explicit StagedWrites(KvCache& cache) : cache_(cache) {}

  const ContextPolicy& policy() const override { return cache_.policy(); }
  KeysValues with_history(int64_t layer, FrameSpan block, const KeysValues& own) const override {
    return cache_.with_history(layer, block, own);
  }
  KeysValues read(int64_t layer, const Reading& reading, const KeysValues& own, const RopeTable& rope) override {
    return cache_.read(layer, reading, own, rope);
  }
  void lay_out(const Reading& reading, const RopeTable& rope) override { cache_.lay_out(reading, rope); }
  void write(int64_t layer, FrameSpan block, const KeysValues& own) override;

  void commit(FrameSpan block);

 private:
  KvCache& cache_;
  std::vector<KeysValues> staged_;  // one per layer
};

class StreamCalls {
 public:
  // `dit` and `cache` must outlive this object. Without `records` every kernel is launched one by one: the plain
  // reference.
  StreamCalls(const CausalDit& dit, KvCache& cache, PositionRule positions, bool records)
      : dit_(dit), cache_(cache), positions_(positions), records_(records), staged_(cache) {}

  // Both without gradients. The flow is valid until the next call.
  at::Tensor flow(FrameSpan block, const PromptText& text, const at::Tensor& noisy, const at::Tensor& t);
  void write(FrameSpan block, const PromptText& text, const at::Tensor& clean);

  // Drops all recordings. Needed after the tensors of the prompt have moved.
  void forget() { recorded_ = {}; }

 private:
  // Determines the shapes and positions of a call.
  struct Geometry {
    std::vector<int64_t> positions;
    int64_t own_frames = 0;

    bool operator==(const Geometry&) const = default;
  };

  // The index of the block's geometry if an earlier block had the same one and the call can be recorded.
  std::optional<int64_t> repeated(FrameSpan block, const at::Tensor& latents);

  const CausalDit& dit_;
  KvCache& cache_;
  PositionRule positions_;
  bool records_;
  StagedWrites staged_;
  RecordedWork recorded_;
  std::vector<Geometry> geometries_;
  std::optional<FrameSpan> last_block_;
  bool last_repeats_ = false;
};

}  // namespace sgf
