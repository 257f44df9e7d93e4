// A cache of scores, so that an interrupted evaluation resumes where it stopped.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace sgf {

// One file per key. A key holds the identity of video, metric, weights and switches.
class ScoreCache {
 public:
  // An empty path disables the cache. Throws at once if the folder cannot be created.
  explicit ScoreCache(std::filesystem::path folder);

  // Null if there is none, or if the file is damaged or has another key.
  nlohmann::json find(const nlohmann::json& key) const;
  void keep(const nlohmann::json& key, const nlohmann::json& value) const;

 private:
  std::filesystem::path path_of(const nlohmann::json& key) const;

  std::filesystem::path folder_;
};

// $XDG_CACHE_HOME/sgf/scores, else ~/.cache/sgf/scores.
std::filesystem::path default_score_folder();

}  // namespace sgf
