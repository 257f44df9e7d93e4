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
                          made_contestant("true clips", 0.8)};
  for (size_t i = 0; i < prompts; ++i)
    contents.videos.push_back({.prompt = "a <red> disc", .mp4 = "mp4 bytes", .png = "png bytes", .marks = {}});
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
                          HasSubstr("<td>SGF</td>"), HasSubstr("<td>true clips</td>")));
  EXPECT_THAT(page, AllOf(HasSubstr("SGF - SF, 2x"), HasSubstr("<td>valid</td><td>+0.200</td>")));
}

// Valid frames of the last training length, by prompt.
DemoContestant with_valid(const std::string& name, const std::vector<double>& valid) {
  DemoContestant contestant = made_contestant(name, 0.5);
  PromptValues& last = contestant.scores["valid"].back();
  last.assign(valid.begin(), valid.end());
  return contestant;
}

TEST(DemoHeadline, AnIntervalThatIncludesZeroIsSaidToBeNoEvidence) {
  const DemoHeadline mixed =
      headline_of(with_valid("SF", {0.5, 0.5, 0.5, 0.5}), with_valid("SGF", {0.9, 0.1, 0.8, 0.3}));
  EXPECT_THAT(mixed.result,
              AllOf(HasSubstr("At 2 times the training length, 52.5\u00a0% of the frames of SGF"),
                    HasSubstr("50.0\u00a0% of those of SF"), HasSubstr("95\u00a0% interval -"), HasSubstr("to +")));
  EXPECT_THAT(mixed.meaning, HasSubstr("no evidence"));
}

TEST(DemoHeadline, AClearDifferenceNamesTheBetterOneEitherWay) {
  const DemoContestant low = with_valid("SF", {0.2, 0.25, 0.3}), high = with_valid("SGF", {0.8, 0.75, 0.9});
  EXPECT_THAT(headline_of(low, high).meaning,
              AllOf(HasSubstr("in favour of SGF"), Not(HasSubstr("no evidence")), HasSubstr("few prompts")));
  EXPECT_THAT(headline_of(high, low).meaning, HasSubstr("in favour of SGF"));
  EXPECT_THAT(headline_of(high, low).result, HasSubstr(": -56.7 points"));
}

TEST(DemoHeadline, OnePromptHasNoInterval) {
  const DemoHeadline one = headline_of(with_valid("SF", {0}), with_valid("SGF", {1}));
  EXPECT_THAT(one.result, Not(HasSubstr("interval")));
  EXPECT_THAT(one.meaning, HasSubstr("no evidence"));
}

TEST(DemoPage, BeginsWithTheResult) {
  const std::string page = write_demo_page(made_page(2));
  EXPECT_LT(page.find("of the frames of SGF show what the prompt says"), page.find("<h2>"));
}

std::vector<FrameMark> marks_of(const std::string& text) {
  std::vector<FrameMark> marks;
  for (const char c : text)
    marks.push_back(c == 'v' ? FrameMark::kValid : c == 'o' ? FrameMark::kOther : FrameMark::kObjectLost);
  return marks;
}

TEST(DemoTimeline, ALossIsHalfASecondAndItsFirstFrameIsItsMoment) {
  EXPECT_EQ(first_loss(marks_of("vvvvlllv"), 8), std::nullopt);
  EXPECT_EQ(first_loss(marks_of("vlvllllv"), 8), 3);
  EXPECT_EQ(first_loss(marks_of("vlvllllv"), 16), std::nullopt);
  EXPECT_EQ(first_loss({}, 16), std::nullopt);
}

TEST(DemoTimeline, HasAStripPerContestantAndAButtonPerLoss) {
  const DemoTimeline timeline{
      .rows = {{"SF", marks_of("vvoollll")}, {"S<GF", marks_of("vvvvvvvv")}}, .train_frames = 4, .fps = 8};
  const std::string html = draw_timeline(timeline, true);
  EXPECT_EQ(count_of(html, "<svg class=\"track\" viewBox=\"0 0 8 12\""), 2U);
  EXPECT_EQ(count_of(html, "<rect"), 4U);  // three stretches and one
  EXPECT_THAT(html, AllOf(HasSubstr("<button type=\"button\" data-seek=\"0.50\">SF loses an object at 0.5 s</button>"),
                          HasSubstr("S&lt;GF"), Not(HasSubstr("S&lt;GF loses"))));
  EXPECT_THAT(draw_timeline(timeline, false),
              AllOf(HasSubstr("SF loses an object at 0.5 s. "), Not(HasSubstr("<button"))));
}

TEST(DemoTimeline, SaysWhenNothingIsLost) {
  const DemoTimeline timeline{.rows = {{"SF", marks_of("vovo")}}, .train_frames = 2, .fps = 8};
  EXPECT_THAT(draw_timeline(timeline, true), AllOf(HasSubstr("No object is lost"), Not(HasSubstr("<button"))));
}

TEST(DemoPage, ShowsStripsUnderItsVideos) {
  DemoContents contents = made_page(1);
  EXPECT_EQ(count_of(write_demo_page(contents), "<svg class=\"track\""), 0U);
  for (const DemoContestant& contestant : contents.contestants)
    contents.videos[0].marks.push_back({contestant.name, marks_of("vvvv")});
  const std::string page = write_demo_page(contents);
  EXPECT_EQ(count_of(page, "<svg class=\"track\""), 4U);
  EXPECT_LT(page.find("<video"), page.find("<svg class=\"track\""));
}

TEST(DemoPage, EscapesPromptsAndCommands) {
  const std::string page = write_demo_page(made_page(1));
  EXPECT_THAT(page,
              AllOf(HasSubstr("a &lt;red&gt; disc"), HasSubstr("--prompt &quot;x&quot;"), Not(HasSubstr("<red>"))));
}

TEST(DemoPage, NeedsNoNetworkAndItsOneScriptSeeksVideos) {
  const std::string page = write_demo_page(made_page(6));
  EXPECT_EQ(count_of(page, "<script>"), 1U);
  EXPECT_THAT(page, AllOf(HasSubstr("video.currentTime"), Not(HasSubstr("http")), Not(HasSubstr("<link")),
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
