// Where recipes named without a path are looked for: folders of configs, beside the presets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// The bundled recipes, sorted: "wan-1.3b/chunkwise", "world-small". `file` is what a folder must hold to count; empty:
// any .yaml file.
std::vector<std::string> recipe_names(const std::string& file = "");

// The path itself where it exists; otherwise the bundled recipe of that name (world-small, recipes/world-small). A name
// without a slash that is neither is an Error that names the nearest one, or all; any other path comes back as it is.
std::filesystem::path find_recipe(const std::filesystem::path& name);

// The same for the study.yaml of a recipe, which may be named by its folder.
std::filesystem::path find_study_recipe(const std::filesystem::path& name);

}  // namespace sgf
