// Pages name files of the tree: every one of them exists. Files that a script writes name it, and it names their
// folder.
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

// A word that can only be a file of a source tree: "scene.h", "lab/study/pair.cpp". ".h" alone is an ending.
bool is_source_file(const std::string& word) {
  constexpr std::array kEndings = {".h", ".cpp", ".cu", ".py", ".sh", ".md", ".yaml"};
  const fs::path path(word);
  return path.has_stem() && std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

// Words such as "docs/world.md", "training/run" or "scene.h", made of nothing but names.
std::set<std::string> paths_in(const std::string& text) {
  std::set<std::string> paths;
  for (size_t at = 0; at < text.size();) {
    const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_of_a_path);
    const auto end = std::find_if_not(begin, text.end(), is_of_a_path);
    std::string word(begin, end);
    at = static_cast<size_t>(end - text.begin());
    while (word.ends_with('.') || word.ends_with('/')) word.pop_back();
    if (word.find('/') != std::string::npos || is_source_file(word)) paths.insert(std::move(word));
  }
  return paths;
}

// Words without such an ending are paths of the tree only where they begin with a folder that the tree has. Absolute
// paths and what follows "https:" lie elsewhere.
bool is_of_the_tree(const std::string& path, const fs::path& base) {
  if (path.starts_with('/')) return false;
  if (is_source_file(path)) return true;
  const std::string first = path.substr(0, path.find('/'));
  return !first.empty() && first.find("..") == std::string::npos && fs::is_directory(base / first);
}

// The names of all files in folders of the tree: pages name a room's files without their folder.
const std::set<std::string>& names_in_the_tree() {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    for (const char* part : {"apps", "benchmarks", "cmake", "docs", "examples", "lab", "models", "presets", "recipes",
                             "sgf", "tests", "tools"})
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / part))
        if (entry.is_regular_file()) found.insert(entry.path().filename().string());
    return found;
  }();
  return names;
}

std::string text_of(const fs::path& page) {
  std::ifstream file(page);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What is written at run time, brought by users or by others' programs, and words that stand for any name: NAME, RUN.
bool is_made(const std::string& path) {
  constexpr std::array kMade = {"build/",       "runs/", "demo/", "models/Wan", "models/longlive_base",
                                "models/lora.", "ATen/"};
  constexpr std::array kElsewhere = {"config.yaml", "ode.yaml", "evaluate_long.sh"};
  const auto stands_for_any = [](const fs::path& name) {
    return std::ranges::all_of(name.string(), [](unsigned char c) { return std::isupper(c) != 0; });
  };
  return std::ranges::any_of(fs::path(path), stands_for_any) ||
         std::ranges::any_of(kMade, [&](const char* folder) { return path.starts_with(folder); }) ||
         std::ranges::find(kElsewhere, path) != kElsewhere.end();
}

bool is_there(const std::string& path, const fs::path& base) {
  return fs::exists(base / path) || fs::exists(base / (path + ".h")) || fs::exists(base / (path + ".yaml"));
}

std::vector<std::string> missing_in(const std::string& text, const std::vector<fs::path>& bases) {
  std::vector<std::string> missing;
  for (const std::string& path : paths_in(text)) {
    const auto is_known = [&](const fs::path& base) { return is_of_the_tree(path, base); };
    const auto is_below = [&](const fs::path& base) { return is_there(path, base); };
    if (is_made(path) || std::ranges::none_of(bases, is_known) || std::ranges::any_of(bases, is_below)) continue;
    if (path.find('/') == std::string::npos && names_in_the_tree().contains(path)) continue;
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

TEST(NamedPaths, AFileOfAFolderThatIsGoneIsFound) {
  EXPECT_EQ(missing_in("`gone/room/scene.h` beside `sgf/world/scene.h`, gone/room and ATen/core/Tensor.h", {kRoot}),
            (std::vector<std::string>{"gone/room/scene.h"}));
}

TEST(NamedPaths, ABareNameIsLookedUpInTheWholeTree) {
  EXPECT_EQ(missing_in("`scene.h`, `no_such_scene.h`, the endings .h and .cpp, RUN/config.yaml and "
                       "https://example.org/any/page.md.",
                       {kRoot}),
            (std::vector<std::string>{"no_such_scene.h"}));
}

// The rows of sgf/README.md's table of rooms: the room, and the headers at which to start reading.
struct RoomRow {
  std::string room;
  std::vector<std::string> headers;
};

// The words between backquotes.
std::vector<std::string> quoted_words(const std::string& text) {
  std::vector<std::string> words;
  for (size_t begin = text.find('`'); begin != std::string::npos;) {
    const size_t end = text.find('`', begin + 1);
    if (end == std::string::npos) break;
    words.push_back(text.substr(begin + 1, end - begin - 1));
    begin = text.find('`', end + 1);
  }
  return words;
}

std::vector<RoomRow> rooms_in_the_table() {
  std::ifstream page(kRoot / "sgf/README.md");
  std::vector<RoomRow> rows;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    const size_t last = line.rfind('|', line.size() - 2);
    rows.push_back({quoted_words(line).front(), quoted_words(line.substr(last))});
  }
  return rows;
}

std::vector<std::string> rooms_in_layers() {
  std::ifstream file(kRoot / "sgf/layers.txt");
  std::vector<std::string> rooms;
  for (std::string line; std::getline(file, line);)
    if (const std::string row = line.substr(0, line.find(':')); line[0] != '#' && row.find('/') == std::string::npos)
      rooms.push_back(row);
  return rooms;
}

TEST(NamedPaths, TheTableOfRoomsHasTheRoomsOfLayersInTheirOrder) {
  std::vector<std::string> rooms;
  for (const RoomRow& row : rooms_in_the_table()) rooms.push_back(row.room);
  EXPECT_GT(rooms.size(), 20u);
  EXPECT_EQ(rooms, rooms_in_layers());
}

TEST(NamedPaths, HeadersToStartReadingAtLieInTheirRoom) {
  for (const RoomRow& row : rooms_in_the_table()) {
    EXPECT_FALSE(row.headers.empty()) << row.room;
    for (const std::string& header : row.headers)
      EXPECT_TRUE(fs::exists(kRoot / "sgf" / row.room / header)) << row.room << " has no " << header;
  }
}

// The script after "// Written by ", or nothing.
std::string script_in(const std::string& text) {
  constexpr std::string_view kMark = "\n// Written by tools/";
  const size_t at = text.find(kMark);
  if (at == std::string::npos) return "";
  const size_t begin = at + kMark.size() - std::string_view("tools/").size();
  return text.substr(begin, text.find(';', begin) - begin);
}

// Whether the script writes into the folder, which it has as one string.
bool writes_into(const std::string& script, const std::string& folder) {
  return script.find("= \"" + folder + "\"") != std::string::npos;
}

TEST(GeneratedFiles, LieWhereTheirScriptWrites) {
  int written = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "sgf")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string script = script_in(text_of(entry.path()));
    if (script.empty()) continue;
    const std::string folder = entry.path().parent_path().lexically_relative(kRoot).generic_string();
    EXPECT_TRUE(writes_into(text_of(kRoot / script), folder)) << script << " does not write " << entry.path();
    ++written;
  }
  EXPECT_GE(written, 3);
}

TEST(GeneratedFiles, AScriptThatWritesElsewhereIsFound) {
  EXPECT_EQ(script_in("// Tables.\n// Written by tools/tables.py; change it there.\n"), "tools/tables.py");
  EXPECT_TRUE(writes_into("FOLDER = \"sgf/text/tables\"", "sgf/text/tables"));
  EXPECT_FALSE(writes_into("FOLDER = \"sgf/text\"", "sgf/text/tables"));
}

}  // namespace
