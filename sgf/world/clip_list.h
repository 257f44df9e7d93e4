// The list of a folder of clips: which file shows what. Torch-free.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

struct ListedClip {
  std::filesystem::path file;
  std::string caption;
};

struct ClipList {
  std::string world;  // name of the preset
  std::vector<ListedClip> clips;
};

nlohmann::json to_json(const ClipList& list);

// A manifest of clips; files are named from the folder that `path` lies in.
void write_manifest(const std::filesystem::path& path, const ClipList& list);

// Reads a manifest; its files are named from the folder it lies in.
ClipList read_manifest(const std::filesystem::path& path);

}  // namespace sgf
