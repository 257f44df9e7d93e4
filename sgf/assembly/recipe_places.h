// Finds recipes, folders of configs, by name: the bundled ones lie beside the presets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Names of the bundled recipes, sorted: "wan-1.3b/chunkwise", "world-small". With `file`, only folders that contain it.
std::vector<std::string> recipe_names(const std::string& file = "");

// The path itself if it exists, else the bundled recipe of that name (world-small, recipes/world-small). Throws Error
// for an unknown name without a slash; returns any other path as it is.
std::filesystem::path find_recipe(const std::filesystem::path& name);

// The same for the study.yaml of a recipe; `name` may be its folder.
std::filesystem::path find_study_recipe(const std::filesystem::path& name);

}  // namespace sgf
