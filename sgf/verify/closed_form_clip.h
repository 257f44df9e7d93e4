// Clips from an integer formula: a panning pattern with noise, and moving discs and boxes. Recordings of kind `clip`
// hold the numbers, and enough bytes to check the formula.
#pragma once

#include "sgf/verify/recording.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

struct ClipFormula {
  struct Disc {
    int64_t x, y, dx, dy, radius, base;  // centre, motion per frame, radius, brightness
  };
  struct Box {
    int64_t x, y, dx, dy, width, height, base;  // corner, motion per frame, size, brightness
  };

  int64_t frames = 0, height = 0, width = 0;
  std::array<int64_t, 2> pan{};  // pixels per frame, x and y
  int64_t seed = 0;
  std::vector<Disc> discs;  // later ones are on top
  std::vector<Box> boxes;   // above all discs

  at::Tensor frame(int64_t t) const;                                // uint8 [H, W, 3], RGB
  at::Tensor some_frames(const std::vector<int64_t>& which) const;  // uint8 [F, H, W, 3]
  at::Tensor all_frames() const;
};

// "small" or "big" of the config of a recording of kind `clip`.
ClipFormula clip_formula(const Recording& clips, const std::string& name);

// The recording of kind `clip` in the folder of another one: with the same salt and, if there are several, the same
// suffix ("_a" of preprocess_a).
Recording clips_beside(const Recording& recording);

}  // namespace sgf
