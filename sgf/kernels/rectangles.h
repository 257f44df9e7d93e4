// Which tokens attend to which, as a list of dense rectangles. Torch-free.
#pragma once

#include "sgf/core/patch_grid.h"

#include <cstdint>
#include <vector>

namespace sgf {

// All `queries` attend to all `keys`. With `repeat` > 1 (one range each) the rectangle is repeated along the diagonal,
// shifted by its own size each time: one batched call instead of many.
struct Rectangle {
  std::vector<TokenRange> queries;
  std::vector<TokenRange> keys;
  int64_t repeat = 1;

  bool operator==(const Rectangle&) const = default;
};

// Rectangles over sequences of `query_tokens` and `key_tokens`. A query in several rectangles sees the union of their
// keys; the keys of one query must not repeat, or they would count twice.
struct AttentionRegion {
  int64_t query_tokens = 0;
  int64_t key_tokens = 0;
  std::vector<Rectangle> rectangles;

  // Everything sees everything.
  static AttentionRegion dense(int64_t query_tokens, int64_t key_tokens);
  // Throws if a range exceeds its sequence.
  void validate() const;
};

}  // namespace sgf
