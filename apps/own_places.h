// What `sgf inspect` says about files and folders of sgf that are not weights: runs, clips, pairs, scores, videos.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sgf {

struct OwnPlace {
  std::string content;                                     // "run of sgf train"
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, in the order to print
  std::string problem;                                     // why it cannot be used; empty if it can
  std::optional<std::filesystem::path> weights;            // folder of its weights
};

// Nothing for a path that sgf did not write; its weights, if any, describe it.
std::optional<OwnPlace> find_own_place(const std::filesystem::path& path);

}  // namespace sgf
