// Stores the keys and values of clean blocks for later blocks. The policy decides what is visible.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/context/keys_values.h"
#include "sgf/context/reading_window.h"
#include "sgf/files/tensors.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sgf {

// What a serial call reads from and writes to.
class ContextCache {
 public:
  virtual ~ContextCache() = default;

  virtual const ContextPolicy& policy() const = 0;

  // Everything that `block` attends to in `layer`, in order of time: sink, recent, then its `own`. Keys are not
  // rotated.
  virtual KeysValues with_history(int64_t layer, FrameSpan block, const KeysValues& own) const = 0;

  // The same with keys rotated by `rope`, which covers all frames that are read. A cache may store intermediate results
  // for the next call with the same reading. The result is valid until that call.
  virtual KeysValues read(int64_t layer, const Reading& reading, const KeysValues& own, const RopeTable& rope);

  // Prepares every layer for one reading, so that read() only places the rows of the block itself. Optional: does
  // nothing by default.
  virtual void lay_out(const Reading& /*reading*/, const RopeTable& /*rope*/) {}

  // Stores a clean block. Writing a block again overwrites its own frames.
  virtual void write(int64_t layer, FrameSpan block, const KeysValues& own) = 0;
};

struct KvCacheShape {
  int64_t layers = 0;
  int64_t batch = 0;
  int64_t tokens_per_frame = 0;
  int64_t heads = 0;
  int64_t head_width = 0;
  int64_t largest_block = 0;  // frames
  int64_t max_frames = 0;     // length of the stream if known; 0 = endless, needs a finite FIFO
};

// Preallocated, never grows. Sink frames keep their slots; later frames use a ring of FIFO + one block.
class KvCache final : public ContextCache {
 public:
  KvCache(ContextPolicy policy, KvCacheShape shape, at::TensorOptions options);

  const ContextPolicy& policy() const override { return policy_; }
  KeysValues with_history(int64_t layer, FrameSpan block, const KeysValues& own) const override;
  // Without gradients it reads from the window, which is filled once per reading.
  KeysValues read(int64_t layer, const Reading& reading, const KeysValues& own, const RopeTable& rope) override;
  void write(int64_t layer, FrameSpan block, const KeysValues& own) override;

  void lay_out(const Reading& reading, const RopeTable& rope) override;

  // The stored frames of `layer`, in order of time, and their keys and values.
  std::vector<int64_t> held_frames(int64_t layer) const;
  KeysValues held(int64_t layer) const;

  // Applies a policy of the same sizes from the next block on: its sink begins elsewhere, or older frames are
  // forgotten. Frames that both policies see are kept.
  void change_policy(const ContextPolicy& policy);
  void clear();  // empties the cache

  // The full content, so that a stream can continue elsewhere; restore() loads it into a cache of the same shape.
  NamedTensors state() const;
  void restore(const NamedTensors& state, const ContextPolicy& policy);

  int64_t capacity_frames() const { return sink_slots_ + ring_slots_; }
  int64_t bytes() const;

 private:
  struct SlotRun {  // consecutive frames in consecutive slots
    int64_t frame;
    int64_t slot;
    int64_t frames;
  };

  int64_t slot_of(int64_t frame) const;
  std::vector<SlotRun> runs(FrameSpan frames) const;
  at::Tensor rows(const at::Tensor& store, int64_t layer, SlotRun run) const;
  KeysValues rows(int64_t layer, SlotRun run) const { return {rows(keys_, layer, run), rows(values_, layer, run)}; }
  std::vector<SlotRun> history(int64_t layer, FrameSpan block) const;
  void lay_out(int64_t layer, const Reading& reading, const RopeTable& rope);
  void move_frames(int64_t layer, const std::vector<int64_t>& frame_before);
  void check_held(int64_t layer, FrameSpan frames, FrameSpan reader) const;

  ContextPolicy policy_;
  KvCacheShape shape_;
  int64_t sink_slots_;
  int64_t ring_slots_;
  at::Tensor keys_;                                  // [layers, B, slots * tokens_per_frame, N, D]
  at::Tensor values_;                                // the same
  std::vector<std::vector<int64_t>> frame_in_slot_;  // [layers][slots], -1 = empty
  ReadingWindow window_;
};

// Stores every write with its graph, to measure the direct differentiable cache. Grows with the stream.
class GraphCache final : public ContextCache {
 public:
  GraphCache(ContextPolicy policy, int64_t layers, int64_t tokens_per_frame);

  const ContextPolicy& policy() const override { return policy_; }
  KeysValues with_history(int64_t layer, FrameSpan block, const KeysValues& own) const override;
  void write(int64_t layer, FrameSpan block, const KeysValues& own) override;

 private:
  ContextPolicy policy_;
  int64_t tokens_per_frame_;
  std::vector<KeysValues> layers_;  // all frames written so far
};

}  // namespace sgf
