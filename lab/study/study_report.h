// The output of a study: study.json for programs, study.html for people, study.md and study-GRANULARITY.svg for
// docs/study.md. Torch-free.
#pragma once

#include "lab/study/arm_file.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace sgf {

struct StudyReport {
  nlohmann::json json;
  std::string page;
  std::string markdown;
  std::map<std::string, std::string> figures;  // file names and SVG text
  std::vector<std::string> conclusions;        // for the terminal
};

// From the existing arms; `planned` lists the expected ones. Throws if there are none.
StudyReport report_study(const Study& study, const std::vector<StudyArm>& planned,
                         const std::vector<ArmResult>& results, const std::string& build);

// Writes to the study's folder; each file is replaced atomically.
void write_report(const Study& study, const StudyReport& report);

}  // namespace sgf
