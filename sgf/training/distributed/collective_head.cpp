#include "sgf/training/distributed/collective_head.h"

#include <fmt/format.h>

namespace sgf {
namespace {

constexpr size_t kHeadNumbers = 3, kRoom = 13;  // 128 bytes in all

}  // namespace

std::string Collective::words() const {
  if (move == Move::kGather) return fmt::format("exchanges {} numbers", numbers);
  return fmt::format("{} {} tensors of {} numbers", move == Move::kSum ? "sums" : "broadcasts", tensors, numbers);
}

bool is_carried(const std::vector<double>& values) { return values.size() <= kRoom; }

CollectiveHead write_head(const Collective& collective, const std::vector<double>& values) {
  CollectiveHead head{static_cast<double>(collective.move), static_cast<double>(collective.tensors),
                      static_cast<double>(collective.numbers)};
  if (is_carried(values)) head.insert(head.end(), values.begin(), values.end());
  head.resize(kHeadNumbers + kRoom);
  return head;
}

Collective read_head(const CollectiveHead& head) {
  return {static_cast<Move>(head.at(0)), static_cast<int64_t>(head.at(1)), static_cast<int64_t>(head.at(2))};
}

std::vector<double> carried_by(const CollectiveHead& head) {
  const auto first = head.begin() + kHeadNumbers;
  return {first, first + static_cast<std::ptrdiff_t>(read_head(head).numbers)};
}

}  // namespace sgf
