#include "sgf/context/position_rule.h"

#include "sgf/core/error.h"

#include <algorithm>

namespace sgf {
namespace {

int64_t contiguous_position(const ContextView& view, FrameSpan reader, int64_t frame) {
  if (view.sink.contains(frame)) return frame - view.sink.begin;
  if (view.recent.contains(frame)) return view.sink.frames() + frame - view.recent.begin;
  return view.frames() + frame - reader.begin;
}

// FIFO and block are one contiguous run of frames, so aligning its last frame aligns all of them.
int64_t top_aligned_position(const ContextView& view, FrameSpan reader, int64_t frame, int64_t train_frames) {
  if (view.sink.contains(frame)) return frame - view.sink.begin;
  const int64_t last = std::min(reader.end, train_frames) - 1;
  return last - (reader.end - 1 - frame);
}

}  // namespace

int64_t PositionRule::position(const ContextPolicy& policy, FrameSpan reader, int64_t frame) const {
  const ContextView view = policy.visible_to(reader);
  SGF_CHECK(view.contains(frame) || reader.contains(frame), "block [{}, {}) does not see frame {}", reader.begin,
            reader.end, frame);
  switch (kind) {
    case PositionKind::kAbsolute:
      return frame;
    case PositionKind::kContiguous:
      return contiguous_position(view, reader, frame);
    case PositionKind::kTopAligned:
      break;
  }
  SGF_CHECK(train_frames > 0, "top-aligned positions need train_frames, the trained length, to be positive, got {}",
            train_frames);
  return top_aligned_position(view, reader, frame, train_frames);
}

std::vector<int64_t> PositionRule::positions(const ContextPolicy& policy, FrameSpan reader) const {
  std::vector<int64_t> out;
  const ContextView view = policy.visible_to(reader);
  for (const FrameSpan part : {view.sink, view.recent, reader})
    for (int64_t frame = part.begin; frame < part.end; ++frame) out.push_back(position(policy, reader, frame));
  return out;
}

std::vector<int64_t> PositionRule::own_positions(const ContextPolicy& policy, FrameSpan reader) const {
  std::vector<int64_t> all = positions(policy, reader);
  return {all.end() - reader.frames(), all.end()};
}

}  // namespace sgf
