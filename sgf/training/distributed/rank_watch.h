// Heartbeats between ranks. A thread writes this rank's heartbeat and reads the others'. The first rank that knows why
// a run has ended tells all, so that all print the same reason.
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
  // Reports that this rank leaves. After a successful run, waits for all ranks: closing sockets early would break
  // slower ones.
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  void begin_collective();

  // Why the run has ended; empty while it runs.
  std::string ending();

  // The same, after waiting until silence or a departure would have been noticed.
  std::string awaited_ending();

  // "rank 2 (host b, pid 7)" for each rank that has not started this rank's current collective.
  std::string missing_ranks() const;

  // Ends the run for all ranks with this message; the first message wins.
  void end(const std::string& message);

 private:
  std::shared_ptr<WatchState> state_;  // shared with the thread: a thread that hangs in a dead connection is abandoned
  std::thread thread_;
};

}  // namespace sgf
