// Times work by phases. Synchronises with the device at the end of every phase, so that each phase includes the work it
// queued.
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

// The nearest rank: the smallest value that a share `q` of the values does not exceed.
double nearest_rank(std::vector<double> values, double q);

class PhaseClock {
 public:
  explicit PhaseClock(c10::Device device) : device_(device) {}

  // Calls `work(clock)` warm_up + runs times; warm-up runs and their memory are not counted. `prepare` runs before
  // each, untimed.
  void time(int64_t warm_up, int64_t runs, const std::function<void(PhaseClock&)>& work,
            const std::function<void()>& prepare = {});

  // Assigns the time since the last phase to this one; repeated phases of a run are summed.
  void end(const std::string& phase);

  // {"warm_up", "runs", "p50_ms", "p95_ms", "memory", "peak_gib"}, and "phases_ms": {phase: p50} if there are phases.
  // The peak is of "resident" memory on a CPU, of "allocated" on a GPU, and null if the peak of earlier work cannot be
  // reset.
  nlohmann::json result() const;

 private:
  using Clock = std::chrono::steady_clock;

  c10::Device device_;
  Clock::time_point phase_began_;
  int64_t warm_up_ = 0;
  std::map<std::string, double> run_;                     // phases of the current run
  std::map<std::string, std::vector<double>> phases_ms_;  // of all counted runs
  std::vector<double> whole_ms_;
  std::optional<int64_t> peak_bytes_;
};

}  // namespace sgf
