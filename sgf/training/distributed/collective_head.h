// The message of a rank at the start of every collective. All heads have the same size, so that ranks in different
// collectives can detect it: Gloo aborts a process that gets more bytes than expected. Torch-free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

enum class Move { kSum, kBroadcast, kGather };

struct Collective {
  Move move = Move::kGather;
  int64_t tensors = 0;
  int64_t numbers = 0;  // elements of all tensors, or of the gathered values

  bool operator==(const Collective&) const = default;
  std::string words() const;  // "sums 7 tensors of 900 numbers"
};

// Has a fixed size, with room for a few gathered numbers, so that these need no second message.
using CollectiveHead = std::vector<double>;

bool is_carried(const std::vector<double>& values);
CollectiveHead write_head(const Collective& collective, const std::vector<double>& values);
Collective read_head(const CollectiveHead& head);
std::vector<double> carried_by(const CollectiveHead& head);

}  // namespace sgf
