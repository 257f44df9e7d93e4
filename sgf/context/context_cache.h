// What a serial call reads from and writes to: a cache of clean blocks, seen from the network.
#pragma once

#include "sgf/core/frame_span.h"

#include <cstdint>

namespace sgf {

struct ContextPolicy;
struct KeysValues;
struct Reading;
struct RopeTable;

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

}  // namespace sgf
