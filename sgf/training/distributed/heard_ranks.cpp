#include "sgf/training/distributed/heard_ranks.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <algorithm>
#include <sstream>

namespace sgf {

std::string write_sign(const SignOfLife& sign) {
  return fmt::format("{} {} {}", sign.beat, sign.collectives, sign.has_left ? 1 : 0);
}

SignOfLife read_sign(const std::string& text) {
  std::istringstream in(text);
  SignOfLife sign;
  in >> sign.beat >> sign.collectives >> sign.has_left;
  SGF_CHECK(!in.fail(), "expected the heartbeat of a rank, got {}", in_quotes(text));
  return sign;
}

HeardRanks::HeardRanks(int64_t ranks, Time now) : heard_(static_cast<size_t>(ranks), Heard{{}, now}) {}

void HeardRanks::note(int64_t rank, const SignOfLife& sign, Time now) {
  Heard& heard = heard_.at(static_cast<size_t>(rank));
  if (heard.sign == sign) return;
  heard = {sign, now};
}

std::optional<HeardRanks::Silent> HeardRanks::silent_for(std::chrono::milliseconds limit, Time now) const {
  Silent longest{.since = limit};
  bool found = false;
  for (size_t i = 0; i < heard_.size(); ++i) {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - heard_[i].changed);
    if (heard_[i].sign.has_left || since <= longest.since) continue;
    longest = {static_cast<int64_t>(i), since};
    found = true;
  }
  return found ? std::optional(longest) : std::nullopt;
}

bool HeardRanks::have_all_left() const {
  return std::all_of(heard_.begin(), heard_.end(), [](const Heard& heard) { return heard.sign.has_left; });
}

std::vector<int64_t> HeardRanks::behind(int64_t collectives) const {
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < heard_.size(); ++i)
    if (heard_[i].sign.collectives < collectives) ranks.push_back(static_cast<int64_t>(i));
  return ranks;
}

std::optional<int64_t> HeardRanks::left_before(int64_t collectives) const {
  for (const int64_t rank : behind(collectives))
    if (heard_[static_cast<size_t>(rank)].sign.has_left) return rank;
  return std::nullopt;
}

}  // namespace sgf
