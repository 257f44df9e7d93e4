// What a rank tells the others at the beginning of every collective. All heads have one size, so that ranks who came to
// different collectives understand each other and say so: Gloo ends the process of one that gets more bytes than it
// waits for. Torch-free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

enum class Move { kSum, kBroadcast, kGather };

struct Collective {
  Move move = Move::kGather;
  int64_t tensors = 0;
  int64_t numbers = 0;  // of all tensors, or gathered

  bool operator==(const Collective&) const = default;
  std::string words() const;  // "sums 7 tensors of 900 numbers"
};

// Of one size, with room for a few numbers that are to be gathered: these need no second message.
using CollectiveHead = std::vector<double>;

bool is_carried(const std::vector<double>& values);
CollectiveHead write_head(const Collective& collective, const std::vector<double>& values);
Collective read_head(const CollectiveHead& head);
std::vector<double> carried_by(const CollectiveHead& head);

}  // namespace sgf
