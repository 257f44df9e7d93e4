// Times of work whose phases are told apart. The device is waited for at the end of every phase, so that each pays for
// what it queued.
#pragma once

#include <c10/core/Device.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// The nearest rank: the smallest value that a share `q` of them does not exceed.
double nearest_rank(std::vector<double> values, double q);

class PhaseClock {
 public:
  explicit PhaseClock(c10::Device device) : device_(device) {}

  // Calls `work(clock)` warm_up + runs times; the first are not counted, nor is their memory. `prepare` runs before
  // each, outside the clock.
  void time(int64_t warm_up, int64_t runs, const std::function<void(PhaseClock&)>& work,
            const std::function<void()>& prepare = {});

  // The time since the last phase ended is this one's; a phase met twice in a run adds up.
  void end(const std::string& phase);

  // {"warm_up", "runs", "p50_ms", "p95_ms", "memory", "peak_gib"}, and "phases_ms": {phase: p50} where phases were told
  // apart. The peak is of "resident" memory on a CPU, of "allocated" on a GPU, and null where the peak of earlier work
  // can't be forgotten.
  nlohmann::json result() const;

 private:
  using Clock = std::chrono::steady_clock;

  c10::Device device_;
  Clock::time_point phase_began_;
  int64_t warm_up_ = 0;
  std::map<std::string, double> run_;                     // phases of the run under way
  std::map<std::string, std::vector<double>> phases_ms_;  // of all counted runs
  std::vector<double> whole_ms_;
  std::optional<int64_t> peak_bytes_;
};

}  // namespace sgf
