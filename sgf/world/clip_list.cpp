#include "sgf/world/clip_list.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/json_file.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

namespace sgf {
namespace {

// A manifest from outside must not lead to files elsewhere.
std::filesystem::path path_in(const std::filesystem::path& folder, const std::string& name,
                              const std::filesystem::path& manifest) {
  const auto whole = [](const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  const std::filesystem::path path = folder / name, inside = whole(path).lexically_relative(whole(folder));
  SGF_CHECK(!inside.empty() && *inside.begin() != "..", "{}: names {}, expected a file in the folder of the manifest",
            manifest.string(), in_quotes(name));
  return path;
}

}  // namespace

nlohmann::json to_json(const ClipList& list) {
  nlohmann::json json = {{"world", list.world}, {"clips", nlohmann::json::array()}};
  for (const ListedClip& clip : list.clips)
    json["clips"].push_back({{"file", clip.file.string()}, {"caption", clip.caption}});
  return json;
}

void write_manifest(const std::filesystem::path& path, const ClipList& list) {
  AtomicFile file(path);
  file.write(to_json(list).dump(1) + "\n");
  file.commit();
}

ClipList read_manifest(const std::filesystem::path& path) {
  const nlohmann::json list = read_json_file(path);
  ClipList read;
  try {
    read.world = list.at("world").get<std::string>();
    for (const nlohmann::json& clip : list.at("clips")) {
      const auto name = clip.at("file").get<std::string>();
      read.clips.push_back({path_in(path.parent_path(), name, path), clip.at("caption").get<std::string>()});
    }
  } catch (const nlohmann::json::exception& error) {
    fail("{} is not a manifest of clips, with \"world\" and \"clips\" of \"file\" and \"caption\": {}", path.string(),
         json_complaint(error.what()));
  }
  SGF_CHECK(!read.clips.empty(), "{} lists no clips, expected at least one", path.string());
  return read;
}

}  // namespace sgf
