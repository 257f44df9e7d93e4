// Videos for the original VBench, and its results back: for the nine dimensions that are not measured here.
#pragma once

#include "sgf/evaluation/video_list.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct VbenchExport {
  int64_t videos = 0;
  std::vector<std::string> renamed;  // prompts that no file can be named after: VBench reads them from the JSON
  std::vector<std::string> failed;   // "FILE: reason" of videos that were left out
};

// Writes `folder/videos/PROMPT-INDEX.mp4` and `folder/prompts.json`, which evaluate.py takes as --videos_path and
// --prompt_file. mp4 files are copied as they are; other videos and folders of PNG files are encoded. The JSON comes
// last: a folder that has it is whole.
VbenchExport export_for_vbench(const std::vector<ListedVideo>& videos, const std::filesystem::path& folder, double fps,
                               const std::function<void(int64_t)>& done);

// A result of ours from results of VBench ({"scene": [0.55, [...]]}, as many dimensions as there are) and of sgf eval:
// {"format", "protocol", "totals": {dimension: {"value"}}, "leaderboard": {"quality", "semantic", "total", "missing"}}.
// A dimension that two files have is an Error.
nlohmann::json import_results(const std::vector<std::filesystem::path>& files);

}  // namespace sgf
