// The settings of the noise schedule. Torch-free.
#pragma once

#include "sgf/schedule/sigma_rule.h"

#include <cstdint>
#include <vector>

namespace sgf {

struct ScheduleSettings {
  double shift = 5;
  int64_t table_size = 1000;
  std::vector<double> denoising_steps = {1000, 750, 500, 250};
  std::vector<double> first_block_steps;  // of the block without history; empty: denoising_steps
  bool warp_denoising_steps = true;
  SigmaLookup sigma_lookup = SigmaLookup::kExact;

  SigmaRule sigma_rule() const { return {.lookup = sigma_lookup, .shift = shift, .entries = table_size}; }

  // The student's timesteps, noisiest first, warped if the settings say so.
  std::vector<double> timesteps() const;
  // The same of the first block; empty if it has no steps of its own.
  std::vector<double> first_block_timesteps() const;

  bool operator==(const ScheduleSettings&) const = default;
};

template <class V>
void describe(V& v, ScheduleSettings& s) {
  v.field("shift", s.shift, "shift s of the noise schedule in sigma = s b / (1 + (s - 1) b), above 0");
  v.field("table_size", s.table_size, "entries of the schedule table, at least 1");
  v.field("denoising_steps", s.denoising_steps,
          "timesteps of a block from noise to clean, falling, above 0 and at most 1000");
  v.field("first_block_steps", s.first_block_steps,
          "timesteps of the video's first block, which has no history, in the same form; []: denoising_steps");
  v.field("warp_denoising_steps", s.warp_denoising_steps,
          "whether denoising_steps and first_block_steps pass through the shift");
  v.field("sigma_lookup", s.sigma_lookup, "sigma of a timestep: t / 1000 (exact), or that of the nearest table entry");
}

}  // namespace sgf
