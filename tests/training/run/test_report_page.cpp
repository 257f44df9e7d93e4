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
          .strips = {{"a <red> ball", tiny_png()}}};
}

TEST(ReportPage, CarriesTheVerdictItsReasonsTheCurvesAndTheStrips) {
  const std::string page = write_report(made_contents());
  EXPECT_THAT(page, AllOf(HasSubstr("Health: bad"), HasSubstr("the critic &lt;falls&gt; behind"),
                          HasSubstr("aria-label=\"critic_loss\""), HasSubstr("aria-label=\"a&lt;b\""),
                          HasSubstr("data:image/png;base64," + encode_base64(tiny_png()))));
}

TEST(ReportPage, EscapesWhatCameFromElsewhere) {
  const std::string page = write_report(made_contents());
  EXPECT_THAT(page, AllOf(HasSubstr("run &lt;1&gt; &amp; &quot;more&quot;"), HasSubstr("cpu&#39;s"),
                          HasSubstr("a &lt;red&gt; ball")));
  EXPECT_THAT(page,
              AllOf(Not(HasSubstr("<1>")), Not(HasSubstr("<red>")), Not(HasSubstr("<falls>")), Not(HasSubstr("a<b"))));
}

TEST(ReportPage, NeedsNoNetworkAndRunsNoScript) {
  const std::string page = write_report(made_contents());
  EXPECT_THAT(page, AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("<link")),
                          Not(HasSubstr("@import")), Not(HasSubstr("url("))));
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
