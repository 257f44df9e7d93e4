// How noisy a latent is at a timestep: sigma, the share of noise in it. Torch-free; flow_match.h asks it of tensors.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>
#include <cstdint>

namespace sgf {

// Timesteps run from 0 (clean) to this (pure noise).
inline constexpr double kMaxTimestep = 1000.0;

// How a timestep becomes a sigma.
enum class SigmaLookup {
  kExact,         // t / 1000: t = 0 is clean.
  kNearestTable,  // The nearest of the table's entries, as Self Forcing does. The table holds no 0: t = 0 gives
                  // 0.00498.
};

constexpr auto enum_names(SigmaLookup) {
  return std::array{EnumName{SigmaLookup::kExact, "exact"}, EnumName{SigmaLookup::kNearestTable, "nearest_table"}};
}

// What the network is told, and the share of noise in what it is shown.
struct NoiseLevel {
  double timestep = 0;
  double sigma = 0;
};

// The sigma of a timestep, asked wherever training and rollouts put noise on latents or take it off them. Solvers walk
// on grids of sigmas of their own.
struct SigmaRule {
  SigmaLookup lookup = SigmaLookup::kExact;
  double shift = 5;        // of the table; kNearestTable alone reads it
  int64_t entries = 1000;  // of the table

  double at(double timestep) const;
  NoiseLevel level(double timestep) const { return {timestep, at(timestep)}; }
  bool operator==(const SigmaRule&) const = default;
};

}  // namespace sgf
