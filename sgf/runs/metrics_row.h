// The metrics of a training step, by name: for the log, the event files, the health verdict and the report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct Metric {
  std::string name;
  double value = 0;
};

// Metrics are in display order. A step reports only the metrics of the updates it made.
struct MetricsRow {
  int64_t step = 0;
  std::vector<Metric> metrics;

  const double* find(std::string_view name) const {
    for (const Metric& metric : metrics) {
      if (metric.name == name) return &metric.value;
    }
    return nullptr;
  }
};

// Steps `first` to `last` that were made but have no row.
struct StepGap {
  int64_t first = 0;
  int64_t last = 0;
};

}  // namespace sgf
