#include "apps/generate_share.h"

#include "apps/commands.h"
#include "apps/option_values.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/training/distributed/rank_place.h"

#include <fmt/format.h>

namespace sgf {

std::vector<VideoJob> JobShare::of(const std::vector<VideoJob>& jobs) const {
  std::vector<VideoJob> mine;
  for (size_t i = 0; i < jobs.size(); ++i)
    if (static_cast<int64_t>(i) % count == index) mine.push_back(jobs[i]);
  return mine;
}

JobShare share_of(const std::string& shard) {
  const auto [index, count] = worker_of(shard);
  const RankPlace place = read_worker_place();
  if (place.size == 1) return {.index = index, .count = count};
  if (count > 1)
    misused(
        fmt::format("--shard {} cannot be combined with a launcher, which already shares the videos among its {} "
                    "processes",
                    shard, place.size));
  return {.index = place.rank, .count = place.size, .local_rank = place.local_rank, .is_rank = true};
}

c10::Device device_of(const JobShare& share, const Config& config) {
  return share.is_rank ? device_of_rank(config.run.device, share.local_rank) : device_of(config.run.device);
}

}  // namespace sgf
