// What a block reads in every layer: rotated keys and values, contiguous in order of time, the block's own rows last.
// History and positions stay the same while a block is denoised, so each step writes only the block's own rows.
#pragma once

#include "sgf/context/keys_values.h"
#include "sgf/context/position_rule.h"
#include "sgf/kernels/rope.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace sgf {

// Who reads, and at which positions.
struct Reading {
  FrameSpan block;
  PositionRule positions;

  bool operator==(const Reading&) const = default;
};

class ReadingWindow {
 public:
  // `rows`: tokens of the widest view, including the block's own. Memory is allocated on first use.
  ReadingWindow(int64_t layers, int64_t rows) : rows_(rows), layers_(static_cast<size_t>(layers)) {}

  // Whether `layer` holds the history that `reading` reads.
  bool holds(int64_t layer, const Reading& reading) const;

  bool is_of(int64_t layer, FrameSpan block) const;

  // Starts another reading in `layer`: begin(), then add() the history in order of time, not rotated, then finish().
  void begin(int64_t layer, const KeysValues& like);
  void add(int64_t layer, const KeysValues& history, const RopeTable& rope);
  void finish(int64_t layer, const Reading& reading);

  // The history followed by `own`, with rotated keys. A view that the next call for this layer overwrites.
  KeysValues with_own(int64_t layer, const KeysValues& own, const RopeTable& rope);

  void forget(int64_t layer);
  void forget_all();
  int64_t bytes() const;

 private:
  struct Layer {
    std::optional<Reading> reading;
    int64_t filled = 0;  // tokens of history
  };

  KeysValues place(int64_t layer, int64_t first, int64_t tokens) const;

  int64_t rows_;
  std::vector<Layer> layers_;
  KeysValues stores_;  // [layers, B, rows, N, D] each
};

}  // namespace sgf
