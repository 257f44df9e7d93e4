#include "sgf/evaluation/score_cache.h"

#include "sgf/core/error.h"
#include "sgf/files/json_file.h"
#include "sgf/files/path_kind.h"
#include "sgf/files/sha256.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace sgf {

ScoreCache::ScoreCache(std::filesystem::path folder, Warn warn) : folder_(std::move(folder)), warn_(std::move(warn)) {
  if (folder_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed)
    stop_keeping(failed.message());
  else if (::access(folder_.c_str(), W_OK | X_OK) != 0)
    stop_keeping(std::strerror(errno));
}

// Existing scores are still read.
void ScoreCache::stop_keeping(const std::string& why) {
  keeps_ = false;
  if (warn_)
    warn_(
        fmt::format("{}: cannot cache scores there ({}), so the same command computes them again; choose another "
                    "folder with --cache, or pass --no-cache",
                    folder_.string(), why));
}

std::filesystem::path ScoreCache::path_of(const nlohmann::json& key) const {
  return folder_ / (sha256_of(key.dump()) + ".json");
}

nlohmann::json ScoreCache::find(const nlohmann::json& key) const {
  if (folder_.empty() || !is_there(path_of(key))) return nullptr;
  try {
    const nlohmann::json entry = read_json_file(path_of(key));
    const bool is_intact = !entry.contains("sha256") || entry["sha256"] == sha256_of(entry.at("value").dump());
    return entry.at("key") == key && is_intact ? entry.at("value") : nullptr;  // earlier versions wrote no hash
  } catch (const std::exception&) {  // damaged or foreign: the score is computed again and overwritten
    return nullptr;
  }
}

void ScoreCache::keep(const nlohmann::json& key, const nlohmann::json& value) {
  if (folder_.empty() || !keeps_) return;
  try {
    write_json_file(path_of(key), {{"key", key}, {"value", value}, {"sha256", sha256_of(value.dump())}});
  } catch (const std::exception& error) {  // a full disk, a folder that went away
    stop_keeping(error.what());
  }
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
