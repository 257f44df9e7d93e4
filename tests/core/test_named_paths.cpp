// Pages name files of the tree: every one of them exists.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SGF_SOURCE_DIR;

bool is_of_a_path(char c) {
  constexpr std::string_view kOthers = "/._-";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kOthers.find(c) != std::string_view::npos;
}

// Words such as "docs/world.md" or "training/run": with a slash, and made of nothing but names.
std::set<std::string> paths_in(const std::string& text) {
  std::set<std::string> paths;
  for (size_t at = 0; at < text.size();) {
    const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_of_a_path);
    const auto end = std::find_if_not(begin, text.end(), is_of_a_path);
    std::string word(begin, end);
    at = static_cast<size_t>(end - text.begin());
    while (word.ends_with('.') || word.ends_with('/')) word.pop_back();
    if (word.find('/') != std::string::npos) paths.insert(std::move(word));
  }
  return paths;
}

// Only what begins with a folder that the tree has is a path of it; the rest is a user's, or no path.
bool is_of_the_tree(const std::string& path, const fs::path& base) {
  const std::string first = path.substr(0, path.find('/'));
  return !first.empty() && first.find("..") == std::string::npos && fs::is_directory(base / first);
}

std::string text_of(const fs::path& page) {
  std::ifstream file(page);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What is written at run time or brought by users, and words that stand for any name: NAME, TARGET.
bool is_made(const std::string& path) {
  constexpr std::array kMade = {"build/", "runs/", "demo/", "models/Wan"};
  const std::string name = path.substr(path.rfind('/') + 1);
  const bool stands_for_any = std::ranges::all_of(name, [](unsigned char c) { return std::isupper(c) != 0; });
  return stands_for_any || std::ranges::any_of(kMade, [&](const char* folder) { return path.starts_with(folder); });
}

std::vector<std::string> missing_in(const std::string& text, const std::vector<fs::path>& bases) {
  std::vector<std::string> missing;
  for (const std::string& path : paths_in(text)) {
    const auto is_known = [&](const fs::path& base) { return is_of_the_tree(path, base); };
    const auto is_there = [&](const fs::path& base) {
      return fs::exists(base / path) || fs::exists(base / (path + ".h")) || fs::exists(base / (path + ".yaml"));
    };
    if (is_made(path) || std::ranges::none_of(bases, is_known) || std::ranges::any_of(bases, is_there)) continue;
    missing.push_back(path);
  }
  return missing;
}

TEST(NamedPaths, Exist) {
  std::vector<fs::path> pages{kRoot / "README.md", kRoot / "CONTRIBUTING.md", kRoot / "SECURITY.md",
                              kRoot / "sgf/README.md"};
  for (const auto& entry : fs::directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  EXPECT_GT(pages.size(), 8u);
  for (const fs::path& page : pages)
    for (const std::string& path : missing_in(text_of(page), {kRoot, kRoot / "sgf", page.parent_path()}))
      ADD_FAILURE() << page.lexically_relative(kRoot) << " names " << path;
}

TEST(NamedPaths, AMissingOneIsFound) {
  EXPECT_EQ(missing_in("see `sgf/core/nowhere.h`, [docs](docs/world.md) and /tmp/elsewhere or a/b.", {kRoot}),
            (std::vector<std::string>{"sgf/core/nowhere.h"}));
}

}  // namespace
