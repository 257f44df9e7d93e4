// Scores that were computed before, by what they depend on: an evaluation that was interrupted goes on where it was.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgf {

// A file a key. A key names the content of the video, the metric, the weights and the switches: where one differs, so
// does the key.
class ScoreCache {
 public:
  // An empty path: nothing is found and nothing kept. A folder that cannot be made is an Error now, not after hours.
  explicit ScoreCache(std::filesystem::path folder);

  // Null where there is none, or where the file is damaged or of another key.
  nlohmann::json find(const nlohmann::json& key) const;
  void keep(const nlohmann::json& key, const nlohmann::json& value) const;

 private:
  std::filesystem::path path_of(const nlohmann::json& key) const;

  std::filesystem::path folder_;
};

// $XDG_CACHE_HOME/sgf/scores, else ~/.cache/sgf/scores.
std::filesystem::path default_score_folder();

}  // namespace sgf
