#include "apps/video_manifest.h"

#include "sgf/core/error.h"
#include "sgf/files/json_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace sgf {
namespace {

// A further key is the work of somebody else.
bool is_our_clip(const nlohmann::json& clip) {
  const bool has_our_keys = clip.is_object() && clip.size() == 4 && clip.contains("file") && clip.contains("caption") &&
                            clip.contains("seed") && clip.contains("sample");
  return has_our_keys && clip["file"].is_string() && clip["caption"].is_string() && clip["seed"].is_number_integer() &&
         clip["sample"].is_number_integer();
}

bool is_our_manifest(const nlohmann::json& list) {
  if (!list.is_object() || !list.contains("clips") || !list["clips"].is_array()) return false;
  if (list.size() != (list.contains("world") ? 2U : 1U)) return false;
  return std::all_of(list["clips"].begin(), list["clips"].end(), is_our_clip);
}

}  // namespace

void check_manifest(const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / "manifest.json";
  if (!std::filesystem::exists(file)) return;
  const std::optional<nlohmann::json> list = try_read_json_file(file);
  SGF_CHECK(list && is_our_manifest(*list),
            "{}: was not written by sgf generate; pass --overwrite to replace it, or another folder with --out",
            file.string());
}

}  // namespace sgf
