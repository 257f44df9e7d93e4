// The rooms include one another only as sgf/layers.txt says, and that file keeps to one order.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Layers = std::vector<std::pair<std::string, std::set<std::string>>>;  // in the order of the file

const std::filesystem::path kSource = SGF_SOURCE_DIR;

Layers read_layers(std::istream& in) {
  Layers layers;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    std::istringstream rest(line.substr(colon + 1));
    std::set<std::string> rooms;
    for (std::string room; rest >> room;) rooms.insert(room);
    layers.emplace_back(line.substr(0, colon), rooms);
  }
  return layers;
}

Layers project_layers() {
  std::ifstream file(kSource / "sgf/layers.txt");
  return read_layers(file);
}

// The room of `#include "sgf/room/..."`, or nothing.
std::string included_room(const std::string& line) {
  if (!line.starts_with("#include")) return "";
  const size_t begin = line.find("sgf/"), end = line.find('/', begin + 4);
  return begin == std::string::npos || end == std::string::npos ? "" : line.substr(begin + 4, end - begin - 4);
}

// "room includes other" for each include that is not allowed.
std::vector<std::string> violations_in(const std::string& room, std::istream& source,
                                       const std::set<std::string>& allowed) {
  std::vector<std::string> out;
  for (std::string line; std::getline(source, line);) {
    const std::string other = included_room(line);
    if (!other.empty() && other != room && !allowed.contains(other)) out.push_back(room + " includes " + other);
  }
  return out;
}

TEST(Layers, AreAcyclicBecauseEveryRoomNamesOnlyRoomsAboveIt) {
  std::set<std::string> above;
  for (const auto& [room, allowed] : project_layers()) {
    for (const std::string& other : allowed) EXPECT_TRUE(above.contains(other)) << room << " may include " << other;
    EXPECT_TRUE(above.insert(room).second) << room << " stands twice";
  }
  EXPECT_GE(above.size(), 10u);
}

TEST(Layers, EveryIncludeIsAllowed) {
  size_t files = 0;
  for (const auto& [room, allowed] : project_layers()) {
    if (!std::filesystem::exists(kSource / "sgf" / room)) continue;  // rooms to come
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / "sgf" / room)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream source(entry.path());
      for (const std::string& violation : violations_in(room, source, allowed))
        ADD_FAILURE() << entry.path().filename() << ": " << violation;
      ++files;
    }
  }
  EXPECT_GT(files, 20u);
}

TEST(Layers, EveryFolderIsARoom) {
  std::set<std::string> rooms;
  for (const auto& [room, allowed] : project_layers()) rooms.insert(room);
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "sgf"))
    EXPECT_TRUE(!entry.is_directory() || rooms.contains(entry.path().filename())) << entry.path();
}

TEST(Layers, AnIncludeAgainstTheOrderIsFound) {
  std::istringstream source("#include \"sgf/model/block.h\"\n#include \"sgf/core/error.h\"\n");
  EXPECT_EQ(violations_in("context", source, {"core"}).size(), 1u);
}

// Headers of the library never reach into programs or tests.
TEST(Layers, TheLibraryDoesNotIncludeAppsOrTests) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / "sgf")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream source(entry.path());
    for (std::string line; std::getline(source, line);)
      EXPECT_EQ(line.find("#include \"apps/") & line.find("#include \"tests/"), std::string::npos) << entry.path();
  }
}

}  // namespace
