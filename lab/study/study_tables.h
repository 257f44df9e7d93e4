// The tables of a study, as text for the page and for docs/study.md alike. Torch-free.
#pragma once

#include "lab/study/findings.h"

#include <string>
#include <vector>

namespace sgf {

struct StudyTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  std::string note;  // below it; may be empty
};

// The non-empty tables of one granularity: precondition, arms at each horizon, changes since the start, differences,
// pairs, changes by twice the steps, sinks, recovery, context gradient, cost.
std::vector<StudyTable> tables_of(const Study& study, const GranularityFindings& findings,
                                  const std::vector<ArmResult>& results);

std::string markdown_of(const StudyTable& table);

}  // namespace sgf
