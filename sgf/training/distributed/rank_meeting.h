// Rendezvous of the ranks: a store kept by rank 0, and the names of the ranks in errors.
#pragma once

#include "sgf/training/distributed/rank_place.h"
#include "sgf/training/distributed/rank_settings.h"

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <string>
#include <vector>

namespace sgf {

using RankStore = c10::intrusive_ptr<c10d::Store>;

// The key of a rank's heartbeat.
std::string sign_key(int64_t rank);

// Keys for the number of joined ranks, the reason of the run's end, and the number of ranks that have read it. The
// owner of the store leaves last.
inline constexpr const char* kArrivedKey = "arrived";
inline constexpr const char* kEndingKey = "ending";
inline constexpr const char* kEndingSeenKey = "ending_seen";

struct RankMeeting {
  std::string address;             // that the store is reached at: MASTER_ADDR, or the loopback address that it names
  RankStore store;                 // for the groups
  RankStore watch_store;           // a separate connection: waiting in the other must not delay a heartbeat
  std::string store_name;          // "the store of the ranks at node1:29500, kept by rank 0 (host node1, pid 4711)"
  std::vector<std::string> names;  // "rank 1 (host node2, pid 815)", by rank
};

// Returns once all ranks have joined; otherwise throws and names the missing ones. If ranks expect different numbers of
// ranks, all throw the same message.
RankMeeting meet(const RankPlace& place, const RankSettings& settings);

// For a rank that is not below its own number of ranks: throws. Ranks with another number that wait for it throw too,
// and all name both numbers.
[[noreturn]] void refuse_rank(const RankPlace& place, const RankSettings& settings);

}  // namespace sgf
