// The text of --help: wrapped to a width, options with their limits, commands in groups.
#include "apps/help/help_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace sgf {
namespace {

using testing::HasSubstr;
using testing::Not;

ArgumentWords seed() {
  return {.names = {"--seed"}, .value = "N", .help = "random seed", .limits = "0 or more; default 1", .group = "Video"};
}

CommandWords generate() {
  return {.name = "generate",
          .help = "Generate videos",
          .group = "Make videos",
          .footer = "Examples:\n  sgf generate --seed 1\n\nOne paragraph\nof two lines.",
          .options = {{.names = {"-h", "--help"}, .help = "print this help", .group = "Options"}, seed()},
          .positionals = {}};
}

size_t longest_line(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(Wrapped, KeepsToTheWidthAndLosesNoWord) {
  EXPECT_EQ(wrapped("one two three", 9), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrapped("a-word-that-is-too-long and", 9), "a-word-that-is-too-long\nand\n");
  EXPECT_EQ(wrapped("ééé ééé", 7), "ééé ééé\n") << "characters count, not bytes";
  EXPECT_EQ(wrapped("", 9), "");
}

TEST(WrappedParagraphs, LeavesIndentedLinesAsTheyAre) {
  EXPECT_EQ(wrapped_paragraphs("one\ntwo\n\n  sgf  train   tiny\nthree", 7), "one two\n\n  sgf  train   tiny\nthree\n");
}

TEST(FullHelp, HasLimitsAndDefaultInOneBracket) {
  EXPECT_EQ(full_help(seed()), "random seed (0 or more; default 1)");
  ArgumentWords threads = seed();
  threads.help = "CPU threads (default: all)";
  threads.limits = "at least 1";
  EXPECT_EQ(full_help(threads), "CPU threads (at least 1; default: all)");
  threads.help = "uncond + g (cond - uncond)";
  EXPECT_EQ(full_help(threads), "uncond + g (cond - uncond) (at least 1)");
  threads.limits = "";
  EXPECT_EQ(full_help(threads), threads.help);
}

TEST(HelpPage, ShowsGroupsInTheirOrderAndOptionsOfNoGroupLast) {
  const std::string page = help_page(generate(), {}, 80);
  EXPECT_THAT(page, HasSubstr("Usage: sgf generate [OPTIONS]\n"));
  EXPECT_THAT(page, HasSubstr("  --seed N    random seed (0 or more; default 1)\n"));
  EXPECT_THAT(page, HasSubstr("\n  sgf generate --seed 1\n\nOne paragraph of two lines.\n"));
  EXPECT_LT(page.find("Video:"), page.find("Options:"));
}

TEST(HelpPage, ListsTheCommandsBelowByTheirLastWord) {
  const CommandWords program{.name = "", .help = "A program", .needs_command = true, .options = {}, .positionals = {}};
  const CommandWords render{
      .name = "world render", .help = "Render", .group = "Data", .options = {}, .positionals = {}};
  const CommandWords table{
      .name = "world table", .help = "Print", .group = "Subcommands", .options = {}, .positionals = {}};
  const std::string page = help_page(program, {generate(), render, table}, 80);
  EXPECT_THAT(page, HasSubstr("Usage: sgf COMMAND\n"));
  EXPECT_THAT(page, HasSubstr("Make videos:\n  generate  Generate videos\n"));
  EXPECT_THAT(page, HasSubstr("Data:\n  render    Render\n"));
  EXPECT_THAT(page, HasSubstr("Commands:\n  table     Print\n"));
}

TEST(HelpPage, KeepsToNarrowAndWideTerminals) {
  CommandWords command = generate();
  for (int i = 0; i < 20; ++i) command.options.back().help += " and some more words";
  for (const size_t width : {50, 80, 120}) EXPECT_LE(longest_line(help_page(command, {}, width)), width);
  EXPECT_GT(longest_line(help_page(command, {}, 120)), 80U);
}

TEST(HelpPage, PutsALongNameOnALineOfItsOwn) {
  CommandWords command = generate();
  command.options = {seed()};
  command.options.front().names = {"--an-option-whose-name-is-very-long"};
  EXPECT_THAT(help_page(command, {}, 80), HasSubstr("  --an-option-whose-name-is-very-long N\n"));
  EXPECT_THAT(help_page(generate(), {}, 80), Not(HasSubstr("--seed N\n")));
}

}  // namespace
}  // namespace sgf
