#include "sgf/vbench/metric_names.h"

#include <utility>

namespace sgf {

std::vector<VbenchMetric> all_vbench_metrics() {
  std::vector<VbenchMetric> metrics;
  for (const auto& known : enum_names(VbenchMetric{})) metrics.push_back(known.value);
  return metrics;
}

std::string_view paper_name(std::string_view dimension) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kNames{{
      {"aesthetic_quality", "Aesthetics"},
      {"background_consistency", "Background"},
      {"dynamic_degree", "Dynamics"},
      {"imaging_quality", "Imaging"},
      {"motion_smoothness", "Motion"},
      {"subject_consistency", "Subject"},
      {"temporal_flickering", "Flickering"},
      {"object_class", "Object"},
      {"multiple_objects", "Multiple"},
      {"human_action", "Action"},
      {"color", "Color"},
      {"spatial_relationship", "Spatial"},
      {"scene", "Scene"},
      {"appearance_style", "Appearance"},
      {"temporal_style", "Temporal"},
      {"overall_consistency", "Consistency"},
  }};
  for (const auto& [name, short_name] : kNames)
    if (name == dimension) return short_name;
  return dimension;
}

}  // namespace sgf
