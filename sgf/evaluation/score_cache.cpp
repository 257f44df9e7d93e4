#include "sgf/evaluation/score_cache.h"

#include "sgf/core/error.h"
#include "sgf/files/json_file.h"
#include "sgf/files/sha256.h"

#include <cstdlib>

namespace sgf {

ScoreCache::ScoreCache(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code failed;
  if (!folder_.empty()) std::filesystem::create_directories(folder_, failed);
  SGF_CHECK(!failed, "cannot write scores to {} ({}); choose another folder with --cache, or pass --no-cache",
            folder_.string(), failed.message());
}

std::filesystem::path ScoreCache::path_of(const nlohmann::json& key) const {
  return folder_ / (sha256_of(key.dump()) + ".json");
}

nlohmann::json ScoreCache::find(const nlohmann::json& key) const {
  if (folder_.empty() || !std::filesystem::exists(path_of(key))) return nullptr;
  try {
    const nlohmann::json entry = read_json_file(path_of(key));
    return entry.at("key") == key ? entry.at("value") : nullptr;
  } catch (const std::exception&) {  // damaged or foreign: the score is computed again and overwritten
    return nullptr;
  }
}

void ScoreCache::keep(const nlohmann::json& key, const nlohmann::json& value) const {
  if (folder_.empty()) return;
  write_json_file(path_of(key), {{"key", key}, {"value", value}});
}

std::filesystem::path default_score_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "sgf" / "scores";
  const char* home = std::getenv("HOME");
  SGF_CHECK(home != nullptr && *home != '\0',
            "no folder for the score cache: set XDG_CACHE_HOME or HOME, or pass --no-cache");
  return std::filesystem::path(home) / ".cache" / "sgf" / "scores";
}

}  // namespace sgf
