// Paths in commands that people copy: a shell reads back what they were.
#include "sgf/core/shell_argument.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace sgf {
namespace {

std::string read_by_shell(const std::string& argument) {
  std::string said;
  FILE* shell = ::popen(("printf %s " + argument).c_str(), "r");
  std::array<char, 256> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), shell) != nullptr) said += part.data();
  ::pclose(shell);
  return said;
}

TEST(ShellArgument, LeavesPlainPathsAsTheyAre) {
  EXPECT_EQ(shell_argument("wan_models/Wan2.1-T2V-1.3B"), "wan_models/Wan2.1-T2V-1.3B");
}

TEST(ShellArgument, IsReadBackByAShellWhateverItHolds) {
  EXPECT_EQ(shell_argument("it's"), R"('it'\''s')");
  for (const std::string text :
       {"two words", "it's", "`id`", "$HOME", "a\"b\\c", "~/x", "*", "'", "", "#1", "a;b|c&d<e>f", "(!)"})
    EXPECT_EQ(read_by_shell(shell_argument(text)), text);
}

}  // namespace
}  // namespace sgf
