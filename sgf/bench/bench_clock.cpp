#include "sgf/bench/bench_clock.h"

#include "sgf/core/device_memory.h"
#include "sgf/core/gibibytes.h"
#include "sgf/core/milliseconds_since.h"

#include <algorithm>
#include <cmath>

namespace sgf {

double nearest_rank(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
}

void PhaseClock::time(int64_t warm_up, int64_t runs, const std::function<void(PhaseClock&)>& work,
                      const std::function<void()>& prepare) {
  warm_up_ = warm_up;
  bool has_own_peak = false;
  for (int64_t i = 0; i < warm_up + runs; ++i) {
    if (prepare) prepare();
    synchronize(device_);
    if (i == warm_up) has_own_peak = reset_peak_memory(device_);
    run_.clear();
    const auto began = phase_began_ = Clock::now();
    work(*this);
    synchronize(device_);
    if (i < warm_up) continue;
    whole_ms_.push_back(milliseconds_since(began));
    for (const auto& [phase, spent] : run_) phases_ms_[phase].push_back(spent);
  }
  if (has_own_peak) peak_bytes_ = peak_memory_bytes(device_);
}

void PhaseClock::end(const std::string& phase) {
  synchronize(device_);
  run_[phase] += milliseconds_since(phase_began_);
  phase_began_ = Clock::now();
}

nlohmann::json PhaseClock::result() const {
  nlohmann::json out{{"warm_up", warm_up_},
                     {"runs", whole_ms_.size()},
                     {"p50_ms", nearest_rank(whole_ms_, 0.5)},
                     {"p95_ms", nearest_rank(whole_ms_, 0.95)},
                     {"memory", device_.is_cpu() ? "resident" : "allocated"},
                     {"peak_gib", nullptr}};
  if (peak_bytes_) out["peak_gib"] = gib_of(*peak_bytes_);
  for (const auto& [phase, spent] : phases_ms_) out["phases_ms"][phase] = nearest_rank(spent, 0.5);
  return out;
}

}  // namespace sgf
