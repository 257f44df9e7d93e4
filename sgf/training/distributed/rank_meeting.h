// Where ranks find one another: a store kept by rank 0, and the names under which errors speak of them.
#pragma once

#include "sgf/training/distributed/rank_place.h"
#include "sgf/training/distributed/rank_settings.h"

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <string>
#include <vector>

namespace sgf {

using RankStore = c10::intrusive_ptr<c10d::Store>;

// The key of a rank's sign of life.
std::string sign_key(int64_t rank);

// How many ranks have come, why the run has ended for all, and how many have read that: the one who keeps the store
// leaves after them.
inline constexpr const char* kArrivedKey = "arrived";
inline constexpr const char* kEndingKey = "ending";
inline constexpr const char* kEndingSeenKey = "ending_seen";

struct RankMeeting {
  RankStore store;                 // for the groups
  RankStore watch_store;           // a connection of its own: a wait in the other must not hold up a sign of life
  std::string store_name;          // "the store of the ranks at node1:29500, kept by rank 0 (host node1, pid 4711)"
  std::vector<std::string> names;  // "rank 1 (host node2, pid 815)", by rank
};

// Comes back once every rank has come; names those that have not. Ranks that count different numbers of ranks all end
// with the same words.
RankMeeting meet(const RankPlace& place, const RankSettings& settings);

}  // namespace sgf
