// What a training step measured, by name. The log, the event files, the health verdict and the report all take it.
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

// Metrics come in the order they are shown in; a step reports only what it did.
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

// Steps from `first` to `last` that were made and have no row.
struct StepGap {
  int64_t first = 0;
  int64_t last = 0;
};

}  // namespace sgf
