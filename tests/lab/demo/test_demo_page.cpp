// The demo's page as text: videos inside, both arms on the same axes, every contestant in the tables, and no network.
#include "lab/demo/demo_page.h"

#include "lab/demo/demo_commands.h"
#include "sgf/report/html_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Two training lengths, two prompts; values rise with the contestant's number.
DemoContestant made_contestant(const std::string& name, double value) {
  DemoContestant contestant{.name = name, .scores = {}};
  for (const StudyMetric& metric : study_metrics())
    contestant.scores[std::string(metric.name)] = {{value, value}, {value + 0.01, value + 0.03}};
  return contestant;
}

DemoArm made_arm(const std::string& name, double loss) {
  return {name, {{.step = 0, .metrics = {{"critic_loss", 1}}}, {.step = 5, .metrics = {{"generator_loss", loss}}}}};
}

DemoContents made_page(size_t prompts) {
  DemoContents contents{.train_frames = 21, .frames = 42, .gap = {.norm_frozen = 0.5, .context_norm = 0.25}};
  contents.arms = {made_arm("SF", 0.125), made_arm("SGF", 0.375)};
  contents.contestants = {made_contestant("student", 0.1), made_contestant("SF", 0.2), made_contestant("SGF", 0.4),
                          made_contestant("truth", 0.8)};
  for (size_t i = 0; i < prompts; ++i) contents.videos.push_back({"a <red> disc", "mp4 bytes", "png bytes"});
  contents.commands = {{"Look:", "sgf generate --prompt \"x\""}};
  return contents;
}

TEST(DemoPage, PlaysItsVideosFromWithin) {
  const std::string page = write_demo_page(made_page(2));
  EXPECT_EQ(count_of(page, "<video autoplay loop muted"), 2U);
  EXPECT_THAT(page, HasSubstr("src=\"data:video/mp4;base64," + encode_base64("mp4 bytes")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("data:image/png")), Not(HasSubstr("<details>"))));
}

TEST(DemoPage, PutsAllButFourPromptsBehindAFold) {
  const std::string page = write_demo_page(made_page(6));
  EXPECT_THAT(page, HasSubstr("<summary>2 more prompts</summary>"));
  EXPECT_EQ(count_of(page.substr(0, page.find("<details>")), "<video"), 4U);
  EXPECT_EQ(count_of(page, "<video"), 6U);
}

TEST(DemoPage, WithoutVideosShowsStripsAndSaysWhatToInstall) {
  DemoContents contents = made_page(1);
  contents.videos[0].mp4.clear();
  const std::string page = write_demo_page(contents);
  EXPECT_THAT(page, AllOf(HasSubstr("data:image/png;base64," + encode_base64("png bytes")),
                          HasSubstr("install libavcodec-dev"), Not(HasSubstr("<video"))));
}

TEST(DemoPage, DrawsBothArmsOnTheSameAxes) {
  const std::string page = write_demo_page(made_page(1));
  const size_t begin = page.find("aria-label=\"generator loss\"");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_THAT(page.substr(begin, page.find("</svg>", begin) - begin),
              AllOf(HasSubstr("SF 0.125"), HasSubstr("SGF 0.375")));
}

TEST(DemoPage, LeavesOutACurveThatNoStepReported) {
  EXPECT_THAT(write_demo_page(made_page(1)), Not(HasSubstr("recovery: Pass 2")));
}

TEST(DemoPage, HasARowForEveryContestantAndTheDifferenceOfThePair) {
  const std::string page = write_demo_page(made_page(2));
  EXPECT_THAT(page, AllOf(HasSubstr("<td>student</td><td>0.10</td><td>0.12</td>"), HasSubstr("<td>SF</td>"),
                          HasSubstr("<td>SGF</td>"), HasSubstr("<td>truth</td>")));
  EXPECT_THAT(page, AllOf(HasSubstr("SGF - SF, 2x"), HasSubstr("<td>valid</td><td>+0.20</td>")));
}

TEST(DemoPage, EscapesPromptsAndCommands) {
  const std::string page = write_demo_page(made_page(1));
  EXPECT_THAT(page,
              AllOf(HasSubstr("a &lt;red&gt; disc"), HasSubstr("--prompt &quot;x&quot;"), Not(HasSubstr("<red>"))));
}

TEST(DemoPage, NeedsNoNetworkAndRunsNoScript) {
  const std::string page = write_demo_page(made_page(6));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("<link")),
                          Not(HasSubstr("@import")), Not(HasSubstr("href="))));
  EXPECT_EQ(count_of(page, "url("), count_of(page, "url(#"));  // tips of arrows, within the page
  EXPECT_EQ(count_of(page, "src="), count_of(page, "src=\"data:"));
}

std::string lines_of(const std::vector<DemoCommand>& commands) {
  std::string lines;
  for (const DemoCommand& command : commands) lines += command.line + '\n';
  return lines;
}

TEST(DemoCommands, NameFilesAsAShellTakesThem) {
  const std::string lines = lines_of(next_commands({"the models", "it's", "run", 20, "world-small"}, "a red disc"));
  EXPECT_THAT(lines,
              AllOf(HasSubstr("--model 'the models/sgf'"), HasSubstr("'it'\\''s/videos/sf'"),
                    HasSubstr("--preset world-small --prompt 'a red disc'"), HasSubstr("--set train.steps=200 ")));
}

TEST(DemoCommands, AskForNoVideoFilesWhereNoneCanBeWritten) {
  const DemoPlaces places{.models = "m", .out = "o", .trained = "run", .world = "w", .has_videos = false};
  EXPECT_THAT(lines_of(next_commands(places, "p")),
              AllOf(HasSubstr("--format png"), Not(HasSubstr("mp4")), Not(HasSubstr("compare"))));
}

}  // namespace
}  // namespace sgf
