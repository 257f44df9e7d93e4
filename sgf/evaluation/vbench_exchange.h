// Exports videos for the original VBench and imports its results, for the nine dimensions that are not computed here.
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
  std::vector<std::string> renamed;  // prompts that cannot be file names: VBench reads them from the JSON
  std::vector<std::string> failed;   // "FILE: reason" of skipped videos
};

// Writes `folder/videos/PROMPT-INDEX.mp4` and `folder/prompts.json` for --videos_path and --prompt_file of evaluate.py.
// mp4 files are copied; other videos and folders of PNG files are encoded. The JSON is written last: a folder with it
// is complete.
VbenchExport export_for_vbench(const std::vector<ListedVideo>& videos, const std::filesystem::path& folder, double fps,
                               const std::function<void(int64_t)>& done);

// Merges results of VBench ({"scene": [0.55, [...]]}, any number of dimensions) and of sgf eval into one result:
// {"format", "protocol", "totals": {dimension: {"value"}}, "leaderboard": {"quality", "semantic", "total", "missing"}}.
// Throws if two files have the same dimension.
nlohmann::json import_results(const std::vector<std::filesystem::path>& files);

}  // namespace sgf
