// How noisy a latent is at a timestep: sigma, its share of noise. Torch-free; flow_match.h has the tensor version.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>
#include <cstdint>

namespace sgf {

// Timesteps run from 0 (clean) to this (pure noise).
inline constexpr double kMaxTimestep = 1000.0;

// How a timestep is converted to a sigma.
enum class SigmaLookup {
  kExact,         // t / 1000: t = 0 is clean.
  kNearestTable,  // The nearest table entry, as in Self Forcing. The table has no 0: t = 0 gives
                  // 0.00498.
};

constexpr auto enum_names(SigmaLookup) {
  return std::array{EnumName{SigmaLookup::kExact, "exact"}, EnumName{SigmaLookup::kNearestTable, "nearest_table"}};
}

// The timestep that the network is given, and the share of noise in its input.
struct NoiseLevel {
  double timestep = 0;
  double sigma = 0;
};

// The sigma of a timestep, used wherever training and rollouts add noise to latents or remove it. Solvers have their
// own grids of sigmas.
struct SigmaRule {
  SigmaLookup lookup = SigmaLookup::kExact;
  double shift = 5;        // of the table; used only by kNearestTable
  int64_t entries = 1000;  // of the table

  double at(double timestep) const;
  NoiseLevel level(double timestep) const { return {timestep, at(timestep)}; }
  bool operator==(const SigmaRule&) const = default;
};

}  // namespace sgf
