#include "sgf/assembly/recipe_places.h"

#include "sgf/assembly/preset_folders.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/nearest_name.h"
#include "sgf/files/bundled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecipes = "recipes";
constexpr const char* kStudy = "study.yaml";

// With `file` a folder that contains it, otherwise one with configs of runs.
bool holds_recipe(const fs::path& folder, const std::string& file) {
  std::error_code error;  // a folder that cannot be listed holds none
  if (!file.empty()) return fs::exists(folder / file, error);
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".yaml" && it->path().filename() != kStudy) return true;
  return false;
}

// Of the bundled recipes that contain `file`, if one is named.
fs::path find_recipe_with(const fs::path& name, const std::string& file) {
  std::error_code ignored;
  const fs::path path = find_bundled(name);
  if (fs::exists(path, ignored)) return path;
  for (const fs::path& bundled : {fs::path(kRecipes) / name, name})
    if (const std::optional<fs::path> place = find_beside_presets(bundled)) return *place;
  if (name.has_parent_path() || name.extension() == ".yaml") return path;
  fail("{}: no such recipe{}", in_quotes(name.string()), hint_of_names(name.string(), recipe_names(file)));
}

}  // namespace

std::vector<std::string> recipe_names(const std::string& file) {
  std::set<std::string> names;
  for (const fs::path& presets : preset_folders()) {
    const fs::path recipes = presets.parent_path() / kRecipes;
    std::error_code error;  // a program without recipes has no names
    for (fs::recursive_directory_iterator it(recipes, error), end; !error && it != end; it.increment(error))
      if (it->is_directory(error) && holds_recipe(it->path(), file))
        names.insert(it->path().lexically_relative(recipes).string());
  }
  return {names.begin(), names.end()};
}

fs::path find_recipe(const fs::path& name) { return find_recipe_with(name, ""); }

fs::path find_study_recipe(const fs::path& name) {
  std::error_code ignored;
  const fs::path path = find_recipe_with(name, kStudy);
  if (!fs::is_directory(path, ignored)) return path;
  SGF_CHECK(holds_recipe(path, kStudy), "{}: has no {}, so it is not a study; bundled studies: {}", name.string(),
            kStudy, fmt::join(recipe_names(kStudy), ", "));
  return path / kStudy;
}

}  // namespace sgf
