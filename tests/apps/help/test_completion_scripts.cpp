// Completion scripts and the manual: both know what the description of the program says.
#include "apps/help/completion_scripts.h"
#include "apps/help/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::HasSubstr;
using testing::Not;

ArgumentWords option(const std::string& name, const std::string& value, const std::vector<std::string>& choices = {}) {
  return {
      .names = {name}, .value = value, .help = "a user's option", .choices = choices, .takes_files = choices.empty()};
}

std::vector<CommandWords> program() {
  const CommandWords root{.name = "", .help = "A program", .options = {}, .positionals = {}};
  const CommandWords train{.name = "train",
                           .help = "Train",
                           .group = "Train",
                           .footer = "Example:\n  sgf train -x",
                           .options = {option("--set", "KEY=VALUE"), option("--model", "MODEL", {"world-small"}),
                                       option("--steps", "N"), option("--to", "NAME", {"wan", "keep"})},
                           .positionals = {}};
  return {root, train};
}

TEST(Completion, OffersWhatAValueStandsFor) {
  EXPECT_EQ(offered_for(option("--set", "KEY=VALUE")), Offered::kConfigKeys);
  EXPECT_EQ(offered_for(option("--out", "RUN")), Offered::kRuns);
  EXPECT_EQ(offered_for(option("--wan", "DIR")), Offered::kFolders);
  EXPECT_EQ(offered_for(option("--image", "FILE")), Offered::kFiles);
  EXPECT_EQ(offered_for(option("--seed", "N")), Offered::kNothing);
  EXPECT_EQ(offered_for(option("--to", "NAME", {"wan"})), Offered::kNothing);
}

TEST(Completion, EveryShellKnowsCommandsChoicesAndKeys) {
  for (const auto& script : {bash_completion, zsh_completion, fish_completion}) {
    const std::string text = script(program(), {"model.dim", "train.steps"});
    EXPECT_THAT(text, HasSubstr("train"));
    EXPECT_THAT(text, HasSubstr("wan keep"));
    EXPECT_THAT(text, HasSubstr("model.dim"));
    EXPECT_THAT(text, HasSubstr("config.yaml")) << "run folders";
  }
}

// In zsh a colon ends the action of an option, so the names of runs and presets go through a function.
TEST(Completion, ZshOffersNamesAndFilesWithoutAColon) {
  const std::string script = zsh_completion(program(), {});
  EXPECT_THAT(script, HasSubstr(":MODEL:{_sgf_or_runs world-small}'"));
  EXPECT_THAT(script, HasSubstr("_sgf_or_runs() {"));
}

TEST(Completion, ZshOffersCommandsAndFilesForOneArgument) {
  std::vector<CommandWords> commands = program();
  commands.push_back({.name = "eval",
                      .help = "Score",
                      .options = {},
                      .positionals = {{.names = {"videos"}, .value = "PATH", .takes_files = true}}});
  commands.push_back({.name = "eval table", .help = "Print", .options = {}, .positionals = {}});
  const std::string script = zsh_completion(commands, {});
  EXPECT_THAT(script, HasSubstr("':videos:{_sgf_or_files table}'"));
  EXPECT_THAT(script, Not(HasSubstr("1:command:(table)"))) << "zsh refuses two specs of the first argument";
}

TEST(Completion, FishOffersNamesBesideFolders) {
  std::vector<CommandWords> commands = program();
  commands.back().options.push_back(option("--recipe", "DIR", {"world-tiny"}));
  commands.back().options.back().takes_files = true;
  EXPECT_THAT(fish_completion(commands, {}), HasSubstr("-x -a 'world-tiny (__fish_complete_directories)'"));
}

TEST(Completion, FishQuotesAnApostropheOfTheHelp) {
  EXPECT_THAT(fish_completion(program(), {}), HasSubstr(R"(-d 'a user\'s option')"));
}

TEST(ManPage, NamesEveryCommandAndKeepsHyphensAndLines) {
  const std::string page = man_page(program(), "0.1.0");
  EXPECT_THAT(page, HasSubstr(".TH SGF 1 \"\" \"sgf 0.1.0\""));
  EXPECT_THAT(page, HasSubstr(".SS \"sgf train\"\n"));
  EXPECT_THAT(page, HasSubstr(".B \\-\\-steps N\n"));
  EXPECT_THAT(page, HasSubstr(".nf\n.RS 4\nsgf train \\-x\n.RE\n.fi\n"));
}

TEST(ManPage, TextIsNeverARequest) {
  std::vector<CommandWords> commands = program();
  commands.back().help = ".so /etc/passwd \\n";
  EXPECT_THAT(man_page(commands, "1"), HasSubstr("\n\\&.so /etc/passwd \\en."));
  EXPECT_THAT(man_page(commands, "1"), Not(HasSubstr("\n.so")));
}

}  // namespace
}  // namespace sgf
