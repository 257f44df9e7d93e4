// The page as text: escaped, self-contained, and with nothing lost on the way to its curves.
#include "sgf/training/run/report_page.h"

#include "sgf/report/html_text.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"
#include "tests/training/tiny_png.h"

#include <cmath>

namespace sgf::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<MetricsRow> made_rows(int64_t steps) {
  std::vector<MetricsRow> rows;
  for (int64_t step = 1; step <= steps; ++step)
    rows.push_back({.step = step, .metrics = {{"critic_loss", 1.0 / static_cast<double>(step)}, {"a<b", 0.5}}});
  return rows;
}

ReportContents made_contents() {
  return {.title = "run <1> & \"more\"",
          .facts = {{"device", "cpu's"}},
          .verdict = {.level = HealthLevel::kBad,
                      .findings = {{HealthLevel::kBad, "critic_loss", "the critic <falls> behind"}},
                      .judged = {"critic_loss"}},
          .rows = made_rows(40),
          .samples = {{.caption = "a <red> ball", .png = tiny_png(), .mp4 = {}}}};
}

// One metric per name, each of which changes.
std::vector<MetricsRow> changing_rows(const std::vector<std::string>& names) {
  std::vector<MetricsRow> rows;
  for (int64_t step = 0; step < 5; ++step) {
    MetricsRow& row = rows.emplace_back(MetricsRow{.step = step, .metrics = {}});
    for (const std::string& name : names) row.metrics.push_back({name, static_cast<double>(step)});
  }
  return rows;
}

TEST(ReportPage, CarriesTheVerdictItsReasonsTheCurvesAndTheStrips) {
  const std::string page = write_report(made_contents());
  EXPECT_THAT(page, AllOf(HasSubstr("Health: bad"), HasSubstr("the critic &lt;falls&gt; behind"),
                          HasSubstr("aria-label=\"critic_loss\""), HasSubstr("<td>a&lt;b</td>"),
                          HasSubstr("data:image/png;base64," + encode_base64(tiny_png()))));
}

TEST(ReportPage, EscapesWhatCameFromElsewhere) {
  const std::string page = write_report(made_contents());
  EXPECT_THAT(page, AllOf(HasSubstr("run &lt;1&gt; &amp; &quot;more&quot;"), HasSubstr("cpu&#39;s"),
                          HasSubstr("a &lt;red&gt; ball")));
  EXPECT_THAT(page,
              AllOf(Not(HasSubstr("<1>")), Not(HasSubstr("<red>")), Not(HasSubstr("<falls>")), Not(HasSubstr("a<b"))));
}

TEST(ReportPage, NeedsNoNetworkAndOfAnEndedRunNoScript) {
  const std::string page = write_report(made_contents());
  EXPECT_THAT(page, AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("<link")),
                          Not(HasSubstr("@import")), Not(HasSubstr("url("))));
}

TEST(ReportPage, ReloadsItselfWhileTheRunLivesAndNoLonger) {
  ReportContents contents = made_contents();
  contents.reload = {.seconds = 7, .written = 1'700'000'000, .patience = 4000};
  EXPECT_THAT(write_report(contents),
              AllOf(HasSubstr("location.reload(), 7 * 1000"), HasSubstr("- 1700000000 < 4000"),
                    HasSubstr("reloads itself every 7 s"), Not(HasSubstr("Ended")), Not(HasSubstr("http"))));
  contents.reload.reset();
  contents.end = "a signal <asked> for it";
  EXPECT_THAT(write_report(contents), AllOf(HasSubstr("Ended: a signal &lt;asked&gt; for it."),
                                            Not(HasSubstr("location.reload")), Not(HasSubstr("<asked>"))));
}

TEST(ReportPage, CurvesThatMatterComeFirst) {
  const std::string page = write_report(
      {.title = "run",
       .rows = changing_rows({"batch_share", "critic_grad_norm", "critic_loss", "latent_std", "sample_valid"})});
  const size_t fold = page.find("More curves (2)");
  ASSERT_NE(fold, std::string::npos);
  EXPECT_LT(page.find("aria-label=\"critic_loss\""), page.find("aria-label=\"critic_grad_norm\""));
  for (const char* first : {"critic_loss", "sample_valid"})
    EXPECT_LT(page.find(fmt::format("aria-label=\"{}\"", first)), fold) << first;
  for (const char* other : {"batch_share", "latent_std"})
    EXPECT_GT(page.find(fmt::format("aria-label=\"{}\"", other)), fold) << other;
}

TEST(ReportPage, AConstantIsALineOfATableAndNoPlot) {
  const std::string page = write_report(made_contents());
  EXPECT_THAT(page, AllOf(HasSubstr("Constant so far"), HasSubstr("<td>a&lt;b</td><td>0.5</td>"),
                          Not(HasSubstr("aria-label=\"a&lt;b\""))));
  EXPECT_THAT(write_report({.title = "run", .rows = changing_rows({"loss"})}), Not(HasSubstr("Constant so far")));
}

TEST(ReportPage, AMetricOfOneSampleIsNotCalledConstant) {
  std::vector<MetricsRow> rows{{.step = 0, .metrics = {{"loss", 2.5}}}};
  EXPECT_THAT(write_report({.title = "run", .rows = rows}),
              AllOf(HasSubstr("Single value so far"), HasSubstr("2.5"), Not(HasSubstr("Constant so far"))));
  rows.push_back({.step = 1, .metrics = {{"loss", 2.5}}});
  EXPECT_THAT(write_report({.title = "run", .rows = rows}),
              AllOf(HasSubstr("Constant so far"), Not(HasSubstr("Single value so far"))));
}

TEST(ReportPage, AMetricThatWasNeverFiniteIsNoConstant) {
  const std::vector<MetricsRow> rows{{.step = 0, .metrics = {{"loss", std::nan("")}}}};
  EXPECT_THAT(write_report({.title = "run", .rows = rows}),
              AllOf(HasSubstr("aria-label=\"loss\""), Not(HasSubstr("Constant so far"))));
}

TEST(ReportPage, TheNewestSamplePlaysAndEarlierOnesAreStrips) {
  ReportContents contents = made_contents();
  contents.samples = {{.caption = "new <one>", .png = "png 1", .mp4 = "mp4 1"},
                      {.caption = "old", .png = "png 2", .mp4 = {}}};
  EXPECT_THAT(write_report(contents), AllOf(HasSubstr("src=\"data:video/mp4;base64," + encode_base64("mp4 1")),
                                            HasSubstr("data:image/png;base64," + encode_base64("png 2")),
                                            Not(HasSubstr(encode_base64("png 1"))), HasSubstr("new &lt;one&gt;")));
  const std::string page = write_report(contents);
  EXPECT_LT(page.find("Newest samples"), page.find("<h2>Curves"));
  EXPECT_GT(page.find("Earlier samples"), page.find("<h2>Curves"));
}

using Facts = std::vector<std::pair<std::string, std::string>>;

TEST(ReportPage, TimesAreShownInTheUnitThatSuitsThem) {
  EXPECT_EQ(time_facts({.wall_seconds = 59.4, .steps_per_second = 2.345, .steps_left = 0}),
            (Facts{{"wall time", "59 s"}, {"speed", "2.35 updates/s"}}));
  EXPECT_EQ(time_facts({.wall_seconds = 7262, .steps_per_second = 0.05, .steps_left = 10}),
            (Facts{{"wall time", "2 h 1 min"}, {"speed", "20 s per update"}, {"time left", "3 min 20 s"}}));
  EXPECT_EQ(time_facts({.wall_seconds = 60, .steps_per_second = 0, .steps_left = 10}),
            (Facts{{"wall time", "1 min 0 s"}}));
}

TEST(ReportPage, ARunWithoutStepsHasAPageToo) {
  EXPECT_THAT(write_report({.title = "new"}), AllOf(HasSubstr("No metrics yet"), HasSubstr("Nothing stands out")));
}

TEST(ReportPage, StepsWithoutMetricsAreNamedAndBreakTheCurves) {
  ReportContents contents = made_contents();
  EXPECT_THAT(write_report(contents), AllOf(Not(HasSubstr("no metrics of")), Not(HasSubstr("class=\"gap\""))));
  std::erase_if(contents.rows, [](const MetricsRow& row) { return row.step >= 10 && row.step < 20; });
  contents.gaps = {{10, 19}};
  EXPECT_THAT(write_report(contents),
              AllOf(HasSubstr("There are no metrics of steps 10 to 19"), HasSubstr("class=\"gap\"")));
}

TEST(ReportPage, IsSavedWholeOverAnEarlierOne) {
  const TemporaryFolder folder;
  save_report(folder / "report.html", {.title = "before"});
  save_report(folder / "report.html", made_contents());
  EXPECT_EQ(text_of(folder / "report.html"), write_report(made_contents()));
}

}  // namespace
}  // namespace sgf::testing
