// The last heartbeat of each rank, by this rank's clock: clocks of other hosts are not compared.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// The heartbeat that a rank writes every few seconds.
struct SignOfLife {
  int64_t beat = 0;         // increases while the process lives
  int64_t collectives = 0;  // number of collectives that the rank has started
  bool has_left = false;    // ended normally: its silence is no error

  bool operator==(const SignOfLife&) const = default;
};

std::string write_sign(const SignOfLife& sign);
SignOfLife read_sign(const std::string& text);

class HeardRanks {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Silent {
    int64_t rank = 0;
    std::chrono::milliseconds since{0};
  };

  // All ranks count as heard now.
  HeardRanks(int64_t ranks, Time now);

  void note(int64_t rank, const SignOfLife& sign, Time now);

  // The rank that has been silent longest, if longer than `limit`.
  std::optional<Silent> silent_for(std::chrono::milliseconds limit, Time now) const;

  // Ranks that have started fewer collectives than `collectives`.
  std::vector<int64_t> behind(int64_t collectives) const;

  bool have_all_left() const;

  // The first rank that left before it started that many.
  std::optional<int64_t> left_before(int64_t collectives) const;

 private:
  struct Heard {
    SignOfLife sign;
    Time changed;
  };
  std::vector<Heard> heard_;
};

}  // namespace sgf
