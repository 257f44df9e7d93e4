// A cache of scores, so that an interrupted evaluation resumes where it stopped.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>

namespace sgf {

// One file per key. A key holds the identity of video, metric, weights and switches.
// A folder that cannot be used costs time, but does not stop the evaluation: one warning reports it.
class ScoreCache {
 public:
  using Warn = std::function<void(const std::string&)>;

  // An empty path disables the cache.
  explicit ScoreCache(std::filesystem::path folder, Warn warn = {});

  // Null if there is none, or if the file is damaged or has another key.
  nlohmann::json find(const nlohmann::json& key) const;
  void keep(const nlohmann::json& key, const nlohmann::json& value);

 private:
  std::filesystem::path path_of(const nlohmann::json& key) const;

  void stop_keeping(const std::string& why);

  std::filesystem::path folder_;
  Warn warn_;
  bool keeps_ = true;
};

// $XDG_CACHE_HOME/sgf/scores, else ~/.cache/sgf/scores.
std::filesystem::path default_score_folder();

}  // namespace sgf
