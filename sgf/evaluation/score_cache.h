// Scores that were computed before, by what they depend on: an evaluation that was interrupted goes on where it was.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>

namespace sgf {

// A file a key. A key names the content of the video, the metric, the weights and the switches: where one differs, so
// does the key. A folder that cannot be used costs time, never the evaluation: it is said once.
class ScoreCache {
 public:
  using Warn = std::function<void(const std::string&)>;

  // An empty path: nothing is found and nothing kept.
  explicit ScoreCache(std::filesystem::path folder, Warn warn = {});

  // Null where there is none, or where the file is damaged or of another key.
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
