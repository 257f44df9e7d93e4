#include "sgf/context/kv_cache.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>

namespace sgf {
namespace {

constexpr int64_t kEmpty = -1;

void check_shape(const KvCacheShape& s) {
  SGF_CHECK(
      s.layers > 0 && s.batch > 0 && s.tokens_per_frame > 0 && s.heads > 0 && s.head_width > 0 && s.largest_block > 0,
      "cache sizes must be positive, got {} layers, batch {}, {} tokens per frame, {} heads of {}, blocks of {}",
      s.layers, s.batch, s.tokens_per_frame, s.heads, s.head_width, s.largest_block);
}

const at::Tensor& tensor_of_state(const NamedTensors& state, std::string_view name) {
  const auto found = std::ranges::find(state, name, &NamedTensors::value_type::first);
  SGF_CHECK(found != state.end(), "the saved cache has no {}", name);
  return found->second;
}

int64_t bounded(int64_t frames, const KvCacheShape& shape) {
  return shape.max_frames > 0 ? std::min(frames, shape.max_frames) : frames;
}

int64_t widest_view(const ContextPolicy& policy, const KvCacheShape& shape) {
  return bounded(policy.sink_frames, shape) + bounded(policy.fifo_frames, shape) + shape.largest_block;
}

}  // namespace

KeysValues ContextCache::read(int64_t layer, const Reading& reading, const KeysValues& own, const RopeTable& rope) {
  const KeysValues seen = with_history(layer, reading.block, own);
  return {rotate(seen.keys, rope), seen.values};
}

KvCache::KvCache(ContextPolicy policy, KvCacheShape shape, at::TensorOptions options)
    : policy_(policy),
      shape_(shape),
      sink_slots_(0),
      ring_slots_(0),
      window_(shape.layers, widest_view(policy, shape) * shape.tokens_per_frame) {
  policy_.validate();
  check_shape(shape_);
  sink_slots_ = bounded(policy_.sink_frames, shape_);
  // One block more than the FIFO: a block may be run again while everything it reads is still there.
  ring_slots_ = bounded(policy_.fifo_frames, shape_) + shape_.largest_block;
  SGF_CHECK(capacity_frames() < (int64_t{1} << 40),
            "an endless stream needs a finite FIFO, got sink {} and FIFO {}; set max_frames or a window",
            policy_.sink_frames, policy_.fifo_frames);
  const int64_t rows = capacity_frames() * shape_.tokens_per_frame;
  keys_ = at::zeros({shape_.layers, shape_.batch, rows, shape_.heads, shape_.head_width}, options);
  values_ = at::zeros_like(keys_);
  frame_in_slot_.assign(static_cast<size_t>(shape_.layers),
                        std::vector<int64_t>(static_cast<size_t>(capacity_frames()), kEmpty));
}

int64_t KvCache::slot_of(int64_t frame) const {
  const int64_t in_sink = frame - policy_.sink_begin;
  if (in_sink >= 0 && in_sink < sink_slots_) return in_sink;
  return sink_slots_ + frame % ring_slots_;
}

std::vector<KvCache::SlotRun> KvCache::runs(FrameSpan frames) const {
  std::vector<SlotRun> out;
  for (int64_t frame = frames.begin; frame < frames.end; ++frame) {
    const int64_t slot = slot_of(frame);
    if (!out.empty() && out.back().slot + out.back().frames == slot)
      ++out.back().frames;
    else
      out.push_back({frame, slot, 1});
  }
  return out;
}

at::Tensor KvCache::rows(const at::Tensor& store, int64_t layer, SlotRun run) const {
  return store.select(0, layer).narrow(1, run.slot * shape_.tokens_per_frame, run.frames * shape_.tokens_per_frame);
}

void KvCache::check_held(int64_t layer, FrameSpan frames, FrameSpan reader) const {
  const std::vector<int64_t>& held = frame_in_slot_[static_cast<size_t>(layer)];
  for (int64_t frame = frames.begin; frame < frames.end; ++frame)
    SGF_CHECK(held[static_cast<size_t>(slot_of(frame))] == frame,
              "block [{}, {}) reads frame {}, which is missing in layer {} of the cache; write all blocks in order",
              reader.begin, reader.end, frame, layer);
}

// What `block` sees before itself, in order of time.
std::vector<KvCache::SlotRun> KvCache::history(int64_t layer, FrameSpan block) const {
  const ContextView view = policy_.visible_to(block);
  std::vector<SlotRun> out;
  for (const FrameSpan part : {view.sink, view.recent}) {
    check_held(layer, part, block);
    for (const SlotRun& run : runs(part)) out.push_back(run);
  }
  return out;
}

KeysValues KvCache::with_history(int64_t layer, FrameSpan block, const KeysValues& own) const {
  std::vector<at::Tensor> keys, values;
  for (const SlotRun& run : history(layer, block)) {
    keys.push_back(rows(keys_, layer, run));
    values.push_back(rows(values_, layer, run));
  }
  if (keys.empty()) return own;
  keys.push_back(own.keys);
  values.push_back(own.values);
  return {at::cat(keys, 1), at::cat(values, 1)};
}

void KvCache::lay_out(int64_t layer, const Reading& reading, const RopeTable& rope) {
  if (window_.holds(layer, reading)) return;
  window_.begin(layer, {keys_.select(0, layer), values_.select(0, layer)});
  for (const SlotRun& run : history(layer, reading.block)) window_.add(layer, rows(layer, run), rope);
  window_.finish(layer, reading);
}

void KvCache::lay_out(const Reading& reading, const RopeTable& rope) {
  for (int64_t layer = 0; layer < shape_.layers; ++layer) lay_out(layer, reading, rope);
}

KeysValues KvCache::read(int64_t layer, const Reading& reading, const KeysValues& own, const RopeTable& rope) {
  if (at::GradMode::is_enabled()) return ContextCache::read(layer, reading, own, rope);
  lay_out(layer, reading, rope);
  return window_.with_own(layer, own, rope);
}

void KvCache::write(int64_t layer, FrameSpan block, const KeysValues& own) {
  SGF_CHECK(block.frames() <= shape_.largest_block, "a block of {} frames exceeds the cache's largest block of {}",
            block.frames(), shape_.largest_block);
  if (!window_.is_of(layer, block)) window_.forget(layer);
  for (const SlotRun& run : runs(block)) {
    const int64_t first = (run.frame - block.begin) * shape_.tokens_per_frame;
    const int64_t count = run.frames * shape_.tokens_per_frame;
    rows(keys_, layer, run).copy_(own.keys.detach().narrow(1, first, count));
    rows(values_, layer, run).copy_(own.values.detach().narrow(1, first, count));
    for (int64_t i = 0; i < run.frames; ++i)
      frame_in_slot_[static_cast<size_t>(layer)][static_cast<size_t>(run.slot + i)] = run.frame + i;
  }
}

std::vector<int64_t> KvCache::held_frames(int64_t layer) const {
  std::vector<int64_t> frames = frame_in_slot_[static_cast<size_t>(layer)];
  std::erase(frames, kEmpty);
  std::sort(frames.begin(), frames.end());
  return frames;
}

KeysValues KvCache::held(int64_t layer) const {
  std::vector<at::Tensor> keys, values;
  for (const int64_t frame : held_frames(layer)) {
    const SlotRun run{frame, slot_of(frame), 1};
    keys.push_back(rows(keys_, layer, run));
    values.push_back(rows(values_, layer, run));
  }
  SGF_CHECK(!keys.empty(), "layer {} of the cache is empty", layer);
  return {at::cat(keys, 1), at::cat(values, 1)};
}

// Frames are in their slots from an earlier policy; frames that the new policy keeps elsewhere are moved.
void KvCache::move_frames(int64_t layer, const std::vector<int64_t>& frame_before) {
  std::vector<int64_t>& now = frame_in_slot_[static_cast<size_t>(layer)];
  const at::Tensor old_keys = keys_.select(0, layer).clone(), old_values = values_.select(0, layer).clone();
  const int64_t tokens = shape_.tokens_per_frame;
  std::ranges::fill(now, kEmpty);
  for (size_t slot = 0; slot < frame_before.size(); ++slot) {
    const int64_t frame = frame_before[slot];
    if (frame == kEmpty || now[static_cast<size_t>(slot_of(frame))] > frame) continue;  // a later frame uses that slot
    const SlotRun run{frame, slot_of(frame), 1};
    rows(keys_, layer, run).copy_(old_keys.narrow(1, static_cast<int64_t>(slot) * tokens, tokens));
    rows(values_, layer, run).copy_(old_values.narrow(1, static_cast<int64_t>(slot) * tokens, tokens));
    now[static_cast<size_t>(run.slot)] = frame;
  }
}

void KvCache::change_policy(const ContextPolicy& policy) {
  policy.validate();
  SGF_CHECK(policy.sink_frames == policy_.sink_frames && policy.fifo_frames == policy_.fifo_frames,
            "the sizes of a cache cannot change from sink {} and FIFO {} to sink {} and FIFO {}", policy_.sink_frames,
            policy_.fifo_frames, policy.sink_frames, policy.fifo_frames);
  const bool sink_stays = policy.sink_begin == policy_.sink_begin;
  policy_ = policy;
  window_.forget_all();
  if (sink_stays) return;
  for (int64_t layer = 0; layer < shape_.layers; ++layer)
    move_frames(layer, std::vector(frame_in_slot_[static_cast<size_t>(layer)]));
}

void KvCache::clear() {
  window_.forget_all();
  for (std::vector<int64_t>& slots : frame_in_slot_) std::ranges::fill(slots, kEmpty);
}

NamedTensors KvCache::state() const {
  std::vector<int64_t> frames;
  for (const std::vector<int64_t>& slots : frame_in_slot_) frames.insert(frames.end(), slots.begin(), slots.end());
  return {{"keys", keys_},
          {"values", values_},
          {"frames", at::tensor(frames, at::kLong).view({shape_.layers, capacity_frames()})}};
}

void KvCache::restore(const NamedTensors& state, const ContextPolicy& policy) {
  const at::Tensor frames = tensor_of_state(state, "frames").to(at::kCPU, at::kLong).contiguous();
  const at::Tensor keys = tensor_of_state(state, "keys"), values = tensor_of_state(state, "values");
  SGF_CHECK(keys.sizes() == keys_.sizes() && values.sizes() == values_.sizes() && frames.dim() == 2 &&
                frames.size(0) == shape_.layers && frames.size(1) == capacity_frames(),
            "the saved cache has other sizes than this network and window");
  keys_.copy_(keys);
  values_.copy_(values);
  policy_ = policy;
  window_.forget_all();
  const int64_t* frame = frames.const_data_ptr<int64_t>();
  for (std::vector<int64_t>& slots : frame_in_slot_)
    for (int64_t& slot : slots) slot = *frame++;
}

int64_t KvCache::bytes() const { return static_cast<int64_t>(keys_.nbytes() + values_.nbytes()) + window_.bytes(); }

GraphCache::GraphCache(ContextPolicy policy, int64_t layers, int64_t tokens_per_frame)
    : policy_(policy), tokens_per_frame_(tokens_per_frame), layers_(static_cast<size_t>(layers)) {}

KeysValues GraphCache::with_history(int64_t layer, FrameSpan block, const KeysValues& own) const {
  const KeysValues& past = layers_[static_cast<size_t>(layer)];
  std::vector<at::Tensor> keys, values;
  for (const FrameSpan run : policy_.visible_to(block).runs()) {
    const int64_t first = run.begin * tokens_per_frame_, count = run.frames() * tokens_per_frame_;
    SGF_CHECK(past.keys.defined() && first + count <= past.keys.size(1),
              "block [{}, {}) reads frames [{}, {}), which were not written", block.begin, block.end, run.begin,
              run.end);
    keys.push_back(past.keys.narrow(1, first, count));
    values.push_back(past.values.narrow(1, first, count));
  }
  if (keys.empty()) return own;
  keys.push_back(own.keys);
  values.push_back(own.values);
  return {at::cat(keys, 1), at::cat(values, 1)};
}

void GraphCache::write(int64_t layer, FrameSpan block, const KeysValues& own) {
  KeysValues& past = layers_[static_cast<size_t>(layer)];
  if (!past.keys.defined()) {
    SGF_CHECK(block.begin == 0, "the first block written must begin at frame 0, got {}", block.begin);
    past = own;
    return;
  }
  const int64_t before = block.begin * tokens_per_frame_;
  SGF_CHECK(before <= past.keys.size(1), "block [{}, {}) leaves a gap after {} written tokens", block.begin, block.end,
            past.keys.size(1));
  past = {at::cat({past.keys.narrow(1, 0, before), own.keys}, 1),
          at::cat({past.values.narrow(1, 0, before), own.values}, 1)};
}

}  // namespace sgf
