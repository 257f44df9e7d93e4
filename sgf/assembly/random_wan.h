// A Wan folder of random weights: official names, layout and sizes, to try the whole path without a download.
// Torch-free.
#pragma once

#include "sgf/core/dtype.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct RandomWanOrder {
  std::filesystem::path folder;
  std::string size = "tiny";  // "tiny", "1.3b" or "14b"
  uint64_t seed = 0;
  DType dit_dtype = DType::kF32;  // of DiT and student, float32 or bfloat16; the official DiT has float32
  // Where a causal few-step student is written, as the authors' trainer does: .pt with generator and generator_ema.
  std::optional<std::filesystem::path> student;
};

std::vector<std::string> random_wan_sizes();

// One file that will be written. `write` tells how many bytes were written since it told last.
struct PlannedFile {
  std::filesystem::path path;
  uint64_t bytes = 0;  // without headers
  std::function<void(const std::function<void(uint64_t)>& written)> write;
};

// The files in the order in which they are written: small ones first, so that a mistake shows early.
std::vector<PlannedFile> plan_random_wan(const RandomWanOrder& order);

// Throws unless all files can be written and fit on their disks, and none exists or may be overwritten.
void check_random_wan(const std::vector<PlannedFile>& files, bool overwrite);

// Checks, then makes missing folders.
void prepare_random_wan(const std::vector<PlannedFile>& files, bool overwrite);

}  // namespace sgf
