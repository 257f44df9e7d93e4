// The folders of the library and the lab include one another only as sgf/layers.txt says, that file keeps to one order,
// and no two headers need each other.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Layers = std::vector<std::pair<std::string, std::set<std::string>>>;  // in the order of the file
using Includes = std::map<std::string, std::set<std::string>>;

const fs::path kSource = SGF_SOURCE_DIR;
const char* const kPublicHeader = "sgf/sgf.h";  // lies in no room, and may include all; no room may include it

Layers read_layers(std::istream& in) {
  Layers layers;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    std::istringstream rest(line.substr(colon + 1));
    std::set<std::string> folders;
    for (std::string folder; rest >> folder;) folders.insert(folder);
    layers.emplace_back(line.substr(0, colon), folders);
  }
  return layers;
}

Layers project_layers() {
  std::ifstream file(kSource / "sgf/layers.txt");
  return read_layers(file);
}

// The path between the quotes of `#include "sgf/..."` or `#include "lab/..."`, or nothing.
std::string included_file(const std::string& line) {
  if (!line.starts_with("#include \"sgf/") && !line.starts_with("#include \"lab/")) return "";
  const size_t begin = line.find('"') + 1, end = line.find('"', begin);
  return end == std::string::npos ? "" : line.substr(begin, end - begin);
}

std::set<std::string> includes_of(std::istream& source) {
  std::set<std::string> files;
  for (std::string line; std::getline(source, line);)
    if (std::string file = included_file(line); !file.empty()) files.insert(std::move(file));
  return files;
}

// "sgf/training/run/health.h" -> "training/run".
std::string folder_of(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().generic_string();
  return folder.starts_with("sgf/") ? folder.substr(4) : folder;
}

// "folder includes other" for each include that is not allowed.
std::vector<std::string> violations_in(const std::string& folder, std::istream& source,
                                       const std::set<std::string>& allowed) {
  std::vector<std::string> out;
  for (const std::string& file : includes_of(source)) {
    const std::string other = folder_of(file);
    if (other != folder && !allowed.contains(other)) out.push_back(folder + " includes " + other);
  }
  return out;
}

bool is_source(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".h" || ending == ".cpp" || ending == ".cu" || ending == ".cuh";
}

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && is_source(entry.path())) sources.push_back(entry.path());
  return sources;
}

std::string name_of(const fs::path& file) { return file.lexically_relative(kSource).generic_string(); }

// With the lab's.
std::vector<fs::path> sources_of_the_library() {
  std::vector<fs::path> sources = sources_below(kSource / "sgf");
  for (fs::path& path : sources_below(kSource / "lab")) sources.push_back(std::move(path));
  return sources;
}

Includes headers_of_the_library() {
  Includes headers;
  for (const fs::path& path : sources_of_the_library()) {
    if (path.extension() != ".h" && path.extension() != ".cuh") continue;
    std::ifstream source(path);
    headers[name_of(path)] = includes_of(source);
  }
  return headers;
}

// The files of a circle, in order, or nothing.
std::vector<std::string> find_circle(const Includes& files) {
  std::map<std::string, int> state;  // 1: on the way, 2: done
  std::vector<std::string> way;
  const std::function<bool(const std::string&)> closes = [&](const std::string& file) {
    if (state[file] == 2) return false;
    way.push_back(file);
    if (state[file] == 1) return true;
    state[file] = 1;
    if (const auto found = files.find(file); found != files.end())
      for (const std::string& other : found->second)
        if (closes(other)) return true;
    state[file] = 2;
    way.pop_back();
    return false;
  };
  for (const auto& [file, others] : files)
    if (closes(file)) return way;
  return {};
}

TEST(Layers, AreAcyclicBecauseEveryFolderNamesOnlyFoldersAboveIt) {
  std::set<std::string> above;
  for (const auto& [folder, allowed] : project_layers()) {
    for (const std::string& other : allowed) EXPECT_TRUE(above.contains(other)) << folder << " may include " << other;
    EXPECT_TRUE(above.insert(folder).second) << folder << " stands twice";
  }
  EXPECT_GE(above.size(), 20u);
}

// The texts of help are below the commands, which include them.
TEST(Layers, HelpIncludesNoCommand) {
  for (const fs::path& path : sources_below(kSource / "apps/help")) {
    std::ifstream source(path);
    for (std::string line; std::getline(source, line);)
      EXPECT_TRUE(!line.starts_with("#include \"apps/") || line.starts_with("#include \"apps/help/"))
          << path.filename() << ": " << line;
  }
}

TEST(Layers, EveryIncludeIsAllowed) {
  std::map<std::string, std::set<std::string>> allowed;
  for (const auto& [folder, others] : project_layers()) allowed[folder] = others;
  for (const fs::path& path : sources_of_the_library()) {
    if (path == kSource / kPublicHeader) continue;
    const std::string folder = folder_of(name_of(path));
    ASSERT_TRUE(allowed.contains(folder)) << path << " lies in a folder that layers.txt does not name";
    std::ifstream source(path);
    for (const std::string& violation : violations_in(folder, source, allowed[folder]))
      ADD_FAILURE() << path.filename() << ": " << violation;
  }
}

TEST(Layers, EveryRowIsNeeded) {
  std::map<std::string, std::set<std::string>> used;
  for (const fs::path& path : sources_of_the_library()) {
    std::ifstream source(path);
    for (const std::string& file : includes_of(source)) used[folder_of(name_of(path))].insert(folder_of(file));
  }
  for (const auto& [folder, allowed] : project_layers()) {
    EXPECT_TRUE(fs::is_directory(kSource / (folder.starts_with("lab/") ? "" : "sgf") / folder)) << folder;
    for (const std::string& other : allowed)
      EXPECT_TRUE(used[folder].contains(other)) << folder << " does not include " << other;
  }
}

TEST(Layers, AnIncludeAgainstTheOrderIsFound) {
  std::istringstream source(
      "#include \"sgf/model/block.h\"\n#include \"sgf/core/error.h\"\n#include \"sgf/kernels/cuda/row.h\"\n");
  EXPECT_EQ(violations_in("kernels", source, {"core"}).size(), 2u);
}

// All of them are installed, and are a promise to users.
TEST(Layers, ThePublicHeaderNeedsFewOthers) {
  std::set<std::string> installed{kPublicHeader};
  for (std::vector<std::string> unread{kPublicHeader}; !unread.empty();) {
    std::ifstream source(kSource / unread.back());
    unread.pop_back();
    for (const std::string& file : includes_of(source))
      if (installed.insert(file).second) unread.push_back(file);
  }
  EXPECT_GT(installed.size(), 20u);
  EXPECT_LE(installed.size(), 50u);
  for (const std::string& file : installed) EXPECT_TRUE(fs::exists(kSource / file)) << file;
}

TEST(Layers, NoTwoHeadersNeedEachOther) {
  const Includes headers = headers_of_the_library();
  EXPECT_GT(headers.size(), 300u);
  std::string shown;
  for (const std::string& file : find_circle(headers)) shown += file + " -> ";
  EXPECT_EQ(shown, "");
}

TEST(Layers, ACircleIsFound) {
  EXPECT_TRUE(find_circle({{"a", {"b", "c"}}, {"b", {"c"}}}).empty());
  EXPECT_EQ(find_circle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}).size(), 4u);
}

// A folder with more files than one can keep in view should be split.
TEST(Layers, NoFolderIsAWarehouse) {
  std::map<fs::path, int> count;
  for (const char* folder : {"sgf", "lab", "apps", "tests"})
    for (const fs::path& path : sources_below(kSource / folder)) ++count[path.parent_path()];
  for (const auto& [folder, files] : count) EXPECT_LE(files, 75) << folder;
}

// Short enough to read from start to end.
TEST(Examples, AreShorterThanEightyLines) {
  int examples = 0;
  for (const fs::path& path : sources_below(kSource / "examples")) {
    std::ifstream source(path);
    int lines = 0;
    for (std::string line; std::getline(source, line);) ++lines;
    EXPECT_LT(lines, 80) << path;
    ++examples;
  }
  EXPECT_GE(examples, 3);
}

// Headers of the library never reach into programs, tests or experiments.
TEST(Layers, TheLibraryDoesNotIncludeAppsTestsOrTheLab) {
  for (const fs::path& path : sources_below(kSource / "sgf")) {
    std::ifstream source(path);
    for (std::string line; std::getline(source, line);)
      for (const char* elsewhere : {"#include \"apps/", "#include \"tests/", "#include \"lab/"})
        EXPECT_FALSE(line.starts_with(elsewhere)) << path << ": " << line;
  }
}

}  // namespace
