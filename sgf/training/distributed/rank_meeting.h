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

struct RankMeeting {
  RankStore store;                 // for the groups
  RankStore watch_store;           // a connection of its own: a wait in the other must not hold up a sign of life
  std::string store_name;          // "the store of the ranks at node1:29500, kept by rank 0 (host node1, pid 4711)"
  std::vector<std::string> names;  // "rank 1 (host node2, pid 815)", by rank
};

// Comes back once every rank has come; names those that have not.
RankMeeting meet(const RankPlace& place, const RankSettings& settings);

}  // namespace sgf
