#include "apps/video_manifest.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/json_file.h"
#include "sgf/files/path_kind.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

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

std::filesystem::path manifest_in(const std::string& folder) { return std::filesystem::path(folder) / "manifest.json"; }

std::string world_of(const nlohmann::json& list) {
  return list.contains("world") && list["world"].is_string() ? list["world"].get<std::string>() : "";
}

// In the manifest's order.
nlohmann::json clips_there(const std::string& folder, const nlohmann::json& list) {
  nlohmann::json there = nlohmann::json::array();
  for (const nlohmann::json& clip : list["clips"]) {
    if (is_there(std::filesystem::path(folder) / clip["file"].get<std::string>())) there.push_back(clip);
  }
  return there;
}

}  // namespace

void check_manifest(const std::string& folder, const std::string& world) {
  const std::filesystem::path file = manifest_in(folder);
  if (!std::filesystem::exists(file)) return;
  const std::optional<nlohmann::json> list = try_read_json_file(file);
  SGF_CHECK(list && is_our_manifest(*list),
            "{}: was not written by sgf generate; pass --overwrite to replace it, or another folder with --out",
            file.string());
  SGF_CHECK(world_of(*list) == world || clips_there(folder, *list).empty(),
            "{}: lists videos of {}, these are of {}; choose another folder with --out", file.string(),
            world_of(*list).empty() ? "no world" : in_quotes(world_of(*list)), world.empty() ? "none" : world);
}

bool lists_clip(const std::string& folder, const std::string& file) {
  const std::optional<nlohmann::json> list = try_read_json_file(manifest_in(folder));
  if (!list || !is_our_manifest(*list)) return false;
  return std::any_of((*list)["clips"].begin(), (*list)["clips"].end(),
                     [&](const nlohmann::json& clip) { return clip["file"] == file || clip["file"] == file + "/"; });
}

nlohmann::json earlier_clips(const std::string& folder, const std::string& world, const std::set<std::string>& fresh) {
  nlohmann::json clips = nlohmann::json::array();
  const std::optional<nlohmann::json> list = try_read_json_file(manifest_in(folder));
  if (!list || !is_our_manifest(*list) || world_of(*list) != world) return clips;
  for (const nlohmann::json& clip : clips_there(folder, *list))
    if (!fresh.contains(clip["file"].get<std::string>())) clips.push_back(clip);
  return clips;
}

}  // namespace sgf
