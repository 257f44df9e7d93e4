// The seven VBench dimensions that this program measures, under VBench's names.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>
#include <string_view>
#include <vector>

namespace sgf {

enum class VbenchMetric {
  kAesthetic,
  kBackground,
  kDynamic,
  kImaging,
  kMotion,
  kSubject,
  kFlicker,
};

// In the order of the paper's tables.
constexpr auto enum_names(VbenchMetric) {
  return std::array{EnumName{VbenchMetric::kAesthetic, "aesthetic_quality"},
                    EnumName{VbenchMetric::kBackground, "background_consistency"},
                    EnumName{VbenchMetric::kDynamic, "dynamic_degree"},
                    EnumName{VbenchMetric::kImaging, "imaging_quality"},
                    EnumName{VbenchMetric::kMotion, "motion_smoothness"},
                    EnumName{VbenchMetric::kSubject, "subject_consistency"},
                    EnumName{VbenchMetric::kFlicker, "temporal_flickering"}};
}

constexpr bool is_consistency(VbenchMetric metric) {
  return metric == VbenchMetric::kSubject || metric == VbenchMetric::kBackground;
}

// All seven, in that order.
std::vector<VbenchMetric> all_vbench_metrics();

// "Aesthetics", "Background": the name of any VBench dimension in the paper's tables. An unknown name is returned
// unchanged.
std::string_view paper_name(std::string_view dimension);

}  // namespace sgf
