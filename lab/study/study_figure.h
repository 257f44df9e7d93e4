// Curves of the arms over time: one metric's for the page, the headline metrics' as one picture file for a README.
// Torch-free.
#pragma once

#include "lab/study/findings.h"

#include <string>

namespace sgf {

// An SVG element; empty where no arm has the metric.
std::string metric_chart(const GranularityFindings& findings, const StudyMetric& metric);

// An SVG file that needs no style sheet, on light paper; empty where no arm has a headline metric.
std::string study_figure(const Study& study, const GranularityFindings& findings);

}  // namespace sgf
