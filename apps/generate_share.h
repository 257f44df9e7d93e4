// Which of the videos of `sgf generate` this process makes, where several processes share them.
#pragma once

#include "apps/generate_jobs.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

struct JobShare {
  int64_t index = 0;
  int64_t count = 1;
  int64_t local_rank = 0;  // selects the GPU
  bool is_rank = false;    // started by a launcher, not told by --shard

  bool is_part() const { return count > 1; }
  // Every count-th video, from this process's index on: shares differ by at most one video.
  std::vector<VideoJob> of(const std::vector<VideoJob>& jobs) const;
};

// From --shard I/N, else from the variables of torchrun, srun or mpirun. Both at once are a misuse.
JobShare share_of(const std::string& shard);

// The GPU of the rank's own number under a launcher, else the device of the config.
c10::Device device_of(const JobShare& share, const Config& config);

}  // namespace sgf
