// Curves of the arms over time: of one metric for the page, of the headline metrics as one image file for a README.
// Torch-free.
#pragma once

#include "lab/study/findings.h"

#include <string>

namespace sgf {

// An SVG element; empty if no arm has the metric.
std::string metric_chart(const GranularityFindings& findings, const StudyMetric& metric);

// An SVG file without external styles, on a light background; empty if no arm has a headline metric.
std::string study_figure(const Study& study, const GranularityFindings& findings);

}  // namespace sgf
