// What the progress line shows, when, and within which width; time and terminal are the test's own.
#include "sgf/core/progress_line.h"

#include "tests/core/refusal.h"

#include <algorithm>
#include <utility>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct FakeTerminal {
  double now = 1000;
  int64_t columns = 200;
  std::string text;

  ProgressOutput output() {
    return {.write = [this](std::string_view more) { text += more; },
            .seconds = [this] { return now; },
            .width = [this] { return columns; }};
  }
  std::string take() { return std::exchange(text, ""); }
};

ProgressReport report_of(int64_t step) {
  return {.step = step, .numbers = {{"generator_loss", 0.5}, {"critic_loss", 0.25}}, .memory_bytes = 3.0 * (1 << 30)};
}

// Shows `steps` steps, half a second apart, and gives what the last one wrote.
std::string last_shown(FakeTerminal& terminal, ProgressLine& line, int64_t steps) {
  for (int64_t step = 1; step <= steps; ++step, terminal.now += 0.5) {
    terminal.take();
    line.show(report_of(step));
  }
  return terminal.take();
}

TEST(ProgressLine, OnATerminalRewritesOneLineWithEverythingInIt) {
  FakeTerminal terminal;
  ProgressLine line({.mode = ProgressMode::kTerminal, .total_steps = 1000}, terminal.output());
  EXPECT_EQ(last_shown(terminal, line, 10),
            "\rstep 10/1000  generator_loss 0.5  critic_loss 0.25  2.0 steps/s  8 min left  3.0 GiB\x1b[K");
  line.finish();
  EXPECT_EQ(terminal.take(), "\n");
}

TEST(ProgressLine, InALogWritesPlainLinesAtTheInterval) {
  FakeTerminal terminal;
  ProgressLine line({.mode = ProgressMode::kLog, .total_steps = 100, .log_interval = 10}, terminal.output());
  last_shown(terminal, line, 1);
  terminal.take();
  std::string shown;
  for (int64_t step = 2; step <= 60; ++step, terminal.now += 0.5) line.show(report_of(step)), shown += terminal.take();
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 2);  // after 10 and 20 of 30 seconds
  EXPECT_THAT(shown, AllOf(StartsWith("step 21/100"), Not(HasSubstr("\r")), Not(HasSubstr("\x1b"))));
}

TEST(ProgressLine, ALogHasTheFirstAndTheLastStep) {
  FakeTerminal terminal;
  ProgressLine line({.mode = ProgressMode::kLog, .total_steps = 3, .log_interval = 1e9}, terminal.output());
  last_shown(terminal, line, 1);
  ProgressLine other({.mode = ProgressMode::kLog, .total_steps = 3, .log_interval = 1e9}, terminal.output());
  for (int64_t step = 1; step <= 3; ++step) other.show(report_of(step));
  EXPECT_THAT(terminal.take(), AllOf(HasSubstr("step 1/3"), HasSubstr("step 3/3"), Not(HasSubstr("step 2/3"))));
}

TEST(ProgressLine, SaysNothingWhenQuiet) {
  FakeTerminal terminal;
  ProgressLine line({.mode = ProgressMode::kQuiet, .total_steps = 3}, terminal.output());
  for (int64_t step = 1; step <= 3; ++step) line.show(report_of(step));
  line.say("skipped");
  line.finish();
  EXPECT_EQ(terminal.take(), "");
}

TEST(ProgressLine, NeverFillsTheTerminalAndDropsTheLeastNeededFirst) {
  for (int64_t columns = 1; columns <= 100; ++columns) {
    FakeTerminal terminal;
    terminal.columns = columns;
    ProgressLine line({.mode = ProgressMode::kTerminal, .total_steps = 1000}, terminal.output());
    std::string shown = last_shown(terminal, line, 10);
    shown = shown.substr(1, shown.size() - 4);  // without \r and the erasing
    EXPECT_LE(shown.size(), static_cast<size_t>(std::max<int64_t>(columns - 1, 1)));
    EXPECT_TRUE(columns <= 12 || shown.starts_with("step 10/1000")) << shown;
    EXPECT_TRUE(columns <= 30 || shown.ends_with("left") || shown.ends_with("GiB")) << shown;
    EXPECT_TRUE(columns >= 60 || !shown.ends_with("GiB")) << shown;
  }
}

TEST(ProgressLine, DoesNotRedrawFasterThanOneCanRead) {
  FakeTerminal terminal;
  ProgressLine line({.mode = ProgressMode::kTerminal, .total_steps = 1000}, terminal.output());
  line.show(report_of(1));
  terminal.take();
  terminal.now += 0.01;
  line.show(report_of(2));
  EXPECT_EQ(terminal.take(), "");
  terminal.now += 0.2;
  line.show(report_of(3));
  EXPECT_THAT(terminal.take(), HasSubstr("step 3/1000"));
}

TEST(ProgressLine, ALineThatStaysStandsAboveTheOneThatIsRewritten) {
  FakeTerminal terminal;
  ProgressLine line({.mode = ProgressMode::kTerminal, .total_steps = 10}, terminal.output());
  line.show({.step = 1});
  terminal.take();
  line.say("checkpoint written");
  EXPECT_EQ(terminal.take(), "\r\x1b[Kcheckpoint written\nstep 1/10");
}

TEST(ProgressLine, SpellsSlowStepsAsSecondsAStep) {
  FakeTerminal terminal;
  ProgressLine line({.mode = ProgressMode::kTerminal, .total_steps = 10}, terminal.output());
  line.show({.step = 1});
  terminal.now += 4;
  line.show({.step = 2});
  EXPECT_THAT(terminal.take(), EndsWith("step 2/10  4.0 s/step  32 s left\x1b[K"));
}

TEST(ProgressLine, AResumedRunIsNotCreditedWithTheStepsBeforeIt) {
  FakeTerminal terminal;
  ProgressLine line({.mode = ProgressMode::kTerminal, .total_steps = 1000}, terminal.output());
  line.show({.step = 501});
  terminal.now += 1;
  line.show({.step = 502});
  EXPECT_THAT(terminal.take(), HasSubstr("1.0 steps/s"));
}

TEST(ProgressLine, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(spell_duration(0), "0 s");
  EXPECT_EQ(spell_duration(41.2), "42 s");
  EXPECT_EQ(spell_duration(17 * 60), "17 min");
  EXPECT_EQ(spell_duration(3 * 3600 + 300), "3 h 05 min");
  EXPECT_EQ(spell_duration(52 * 3600), "2 d 04 h");
}

TEST(ProgressLine, RefusesARunOfNoSteps) {
  FakeTerminal terminal;
  EXPECT_THAT(refusal_of([&] { ProgressLine({.total_steps = 0}, terminal.output()); }),
              HasSubstr("steps must be at least 1 to show progress, got 0"));
}

}  // namespace
}  // namespace sgf
