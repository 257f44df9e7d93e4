// Signs of life between ranks. A thread writes this rank's and reads the others'; the first rank to know why a run has
// ended tells all, so that every one prints the same reason.
#pragma once

#include "sgf/training/distributed/rank_meeting.h"

#include <memory>
#include <string>
#include <thread>

namespace sgf {

struct WatchState;

class RankWatch {
 public:
  RankWatch(const RankPlace& place, const RankMeeting& meeting, const RankSettings& settings);
  // Says farewell. Where the run went well, stays until all have: sockets closed early would hurt the slower ranks.
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  void begin_collective();

  // Why the run has ended, empty while it has not.
  std::string ending();

  // The same, after waiting until silence or a farewell would have been noticed.
  std::string awaited_ending();

  // "rank 2 (host b, pid 7)" for each rank that has not begun the collective that this one is in.
  std::string missing_ranks() const;

  // Ends the run for every rank with this message; the first one counts.
  void end(const std::string& message);

 private:
  std::shared_ptr<WatchState> state_;  // the thread's too: one that hangs in a dead connection is left behind
  std::thread thread_;
};

}  // namespace sgf
