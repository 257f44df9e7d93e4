// The study as one page: findings, curves, strips and tables. Torch-free.
#pragma once

#include "lab/study/findings.h"

#include <string>
#include <vector>

namespace sgf {

std::string study_page(const Study& study, const std::vector<GranularityFindings>& all,
                       const std::vector<ArmResult>& results, const std::string& build);

}  // namespace sgf
