// What a browser reads as style or program is in asset files, where editors and browsers' tools know it: C++ writes
// text, tables and shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<std::string> page_code_in(std::istream& source) {
  constexpr std::array kCode = {"<script", "<style", "function (", "=> {", "style=\\\"", "style=\""};
  std::vector<std::string> found;
  for (std::string line; std::getline(source, line);)
    if (std::ranges::any_of(kCode, [&](const char* code) { return line.find(code) != std::string::npos; }))
      found.push_back(line);
  return found;
}

TEST(PageAssets, SourcesHoldNeitherStyleNorScript) {
  const fs::path root = SGF_SOURCE_DIR;
  size_t files = 0;
  for (const char* folder : {"sgf", "lab"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path ending = entry.path().extension();
      if (ending != ".cpp" && ending != ".h") continue;
      std::ifstream source(entry.path());
      for (const std::string& line : page_code_in(source))
        ADD_FAILURE() << entry.path().lexically_relative(root) << ": move to an asset: " << line;
      ++files;
    }
  EXPECT_GT(files, 500u);
}

TEST(PageAssets, StyleAndScriptInASourceAreFound) {
  std::istringstream source(
      "html += \"<b style=\\\"color:red\\\">\";\nreturn R\"(<script>\nvideo.onclick = () => { play(); };\n)\";\n"
      "svg += \"<text fill=\\\"red\\\" class=\\\"now\\\">\";\nstd::function<void(int)> call;\n");
  EXPECT_EQ(page_code_in(source).size(), 3u);
}

}  // namespace
