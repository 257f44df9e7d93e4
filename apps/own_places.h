// What `sgf inspect` says about files and folders of ours that are no weights: runs, clips, pairs, scores, videos.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sgf {

struct OwnPlace {
  std::string content;                                     // "run of sgf train"
  std::vector<std::pair<std::string, std::string>> facts;  // what is to be known of it, by name
  std::string problem;                                     // why it cannot be used; empty: nothing was found
  std::optional<std::filesystem::path> weights;            // a folder of weights that belongs to it
};

// Nothing for a place that is none of ours; the weights in it, if any, say what it is.
std::optional<OwnPlace> find_own_place(const std::filesystem::path& path);

}  // namespace sgf
