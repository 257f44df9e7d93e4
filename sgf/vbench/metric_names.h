// The seven dimensions of VBench that this program measures itself, under the names that VBench gives them.
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

// "Aesthetics", "Background": how the paper's tables call a dimension of VBench, the nine others too. A name that is no
// dimension comes back as it is.
std::string_view paper_name(std::string_view dimension);

}  // namespace sgf
