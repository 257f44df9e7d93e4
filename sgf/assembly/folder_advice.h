// Which commands the files of a survey are good for. Torch-free.
#pragma once

#include "sgf/assembly/folder_survey.h"

#include <string>
#include <vector>

namespace sgf {

struct FolderAdvice {
  std::vector<std::string> can;     // whole commands, to be run in this order
  std::vector<std::string> cannot;  // "sgf train: needs a teacher, ..."
};

// Of several files of a kind, the first that fit each other stand for all. Paths are those of the survey, and commands
// are for the working directory.
FolderAdvice advise(const FolderSurvey& survey);

}  // namespace sgf
