// The page as text: escaped, self-contained, and with nothing lost on the way to its curves.
#include "sgf/training/run/report_page.h"

#include "sgf/report/html_text.h"
#include "sgf/report/svg_axes.h"
#include "sgf/report/svg_curve.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"
#include "tests/training/tiny_png.h"

#include <algorithm>
#include <cmath>

namespace sgf::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
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

TEST(SvgCurve, ValuesThatAgreeToTheLastDigitsAreAFlatLine) {
  const std::vector<CurvePoint> points{{0, 0.9999999999999969}, {1, 0.999999999999997}, {2, 0.9999999999999969}};
  EXPECT_LT(draw_curve("recovery_cosine", points).size(), 10'000U);
  EXPECT_LE(axis_ticks(0.9999999999999969, 0.999999999999997).size(), 16U);
  EXPECT_GE(axis_ticks(0, 1).size(), 3U);
}

TEST(SvgCurve, SeveralRunsShareTheirAxes) {
  const std::string alone = draw_curve("loss", std::vector<CurvePoint>{{0, 1}, {10, 2}});
  const std::string both =
      draw_curves("loss", {{"one", "#123456", {{0, 1}, {10, 2}}}, {"two", "#abcdef", {{0, 1}, {10, 4}}}});
  EXPECT_THAT(
      both, AllOf(HasSubstr("one 2<"), HasSubstr("two 4<"), HasSubstr("--line:#123456"), HasSubstr("--line:#abcdef")));
  EXPECT_THAT(alone, HasSubstr("456.0 39.8"));  // 2 is the highest of one run, and not of two
  EXPECT_THAT(both, AllOf(HasSubstr("456.0 136.1"), HasSubstr("456.0 39.8")));
}

TEST(SvgCurve, RunsWithoutValuesAreRefused) {
  EXPECT_THAT(refusal_of([] { draw_curves("loss", {{"one", "#123456", {}}}); }), HasSubstr("no values of 'loss'"));
}

TEST(HtmlText, EscapesAllThatCouldEndATextOrAnAttribute) {
  EXPECT_EQ(escape_html("<a href=\"x\">&'é"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;é");
}

TEST(HtmlText, Base64IsThatOfTheRfc) {  // RFC 4648, section 10
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encode_base64("\xff\xfe\xfd"), "//79");
}

TEST(HtmlText, APageIsFilledByNameAndItsTextsAreNotSearched) {
  EXPECT_EQ(fill_page("<b>{{a}}</b>{{b}}{{a}}", {{"a", "{{b}}"}, {"b", "2"}}), "<b>{{b}}</b>2{{b}}");
  EXPECT_THAT(refusal_of([] { fill_page("<b>{{c}}</b>", {{"a", ""}}); }), HasSubstr("has a placeholder 'c'"));
  EXPECT_THAT(refusal_of([] { fill_page("<b>{{a", {{"a", ""}}); }), HasSubstr("placeholder without end: '{{a'"));
}

TEST(HtmlText, PartsOfAPageBringTheirOwnLineBreaks) {
  EXPECT_EQ(fill_page("{{part}}\n{{none}}\n{{word}}\n", {{"part", "1\n2\n"}, {"none", ""}, {"word", "3"}}),
            "1\n2\n3\n");
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

// A metric that only some steps report has no gap between them.
TEST(SvgCurve, TheLineIsBrokenWhereAGapLiesAndNowhereElse) {
  const std::vector<CurvePoint> points{{0, 1}, {5, 2}, {10, 1}, {15, 2}};
  const std::vector<StepGap> gaps{{11, 14}};
  const auto parts_of = [](const std::string& svg) {
    const std::string line = svg.substr(svg.find("class=\"line\""));
    const std::string path = line.substr(0, line.find("/>"));
    return std::count(path.begin(), path.end(), 'M');
  };
  EXPECT_EQ(parts_of(draw_curve("x", points)), 1);
  EXPECT_EQ(parts_of(draw_curve("x", points, gaps)), 2);
}

TEST(ReportPage, IsSavedWholeOverAnEarlierOne) {
  const TemporaryFolder folder;
  save_report(folder / "report.html", {.title = "before"});
  save_report(folder / "report.html", made_contents());
  EXPECT_EQ(text_of(folder / "report.html"), write_report(made_contents()));
}

TEST(SvgCurve, TicksAreRoundNumbersWithinTheAxis) {
  EXPECT_THAT(axis_ticks(0, 1), ElementsAre(0, 0.2, ::testing::DoubleEq(0.4), ::testing::DoubleEq(0.6), 0.8, 1));
  EXPECT_THAT(axis_ticks(-3, 98), ElementsAre(0, 20, 40, 60, 80));
  EXPECT_THAT(axis_ticks(-0.011, -0.009),
              ElementsAre(::testing::DoubleEq(-0.011), ::testing::DoubleEq(-0.0105), ::testing::DoubleEq(-0.01),
                          ::testing::DoubleEq(-0.0095), ::testing::DoubleEq(-0.009)));
}

TEST(SvgCurve, AWideSpanOfPositiveValuesTakesALogAxisAndSaysSo) {
  const std::vector<CurvePoint> wide = {{1, 0.001}, {2, 1}}, narrow = {{1, 0.5}, {2, 1}}, below = {{1, -1}, {2, 1000}};
  EXPECT_THAT(draw_curve("x", wide), HasSubstr("log axis"));
  EXPECT_THAT(draw_curve("x", narrow), Not(HasSubstr("log axis")));
  EXPECT_THAT(draw_curve("x", below), Not(HasSubstr("log axis")));
}

TEST(SvgCurve, ALongSeriesKeepsItsSpikeAndStaysSmall) {
  std::vector<CurvePoint> points;
  for (int64_t step = 0; step < 100'000; ++step) points.push_back({step, step == 61'234 ? 9.0 : 1.0});
  const std::string svg = draw_curve("x", points);
  EXPECT_LT(svg.size(), 30'000u);
  points[61'234].value = 1.0;
  EXPECT_NE(svg, draw_curve("x", points));
}

TEST(SvgCurve, ValuesThatAreNotFiniteAreMarkedAndNeverDrawn) {
  const std::vector<CurvePoint> some = {{1, 1}, {2, std::nan("")}, {3, INFINITY}, {4, 2}}, none = {{1, std::nan("")}};
  EXPECT_THAT(draw_curve("x", some), AllOf(HasSubstr("class=\"lost\""), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  EXPECT_THAT(draw_curve("x", none), AllOf(HasSubstr("no finite value"), Not(HasSubstr("nan"))));
}

TEST(SvgCurve, AConstantIsALineAndNotADivisionByZero) {
  const std::vector<CurvePoint> zeros = {{1, 0}, {2, 0}}, one = {{7, 3}};
  EXPECT_THAT(draw_curve("x", zeros), AllOf(HasSubstr("class=\"line\""), Not(HasSubstr("nan"))));
  EXPECT_THAT(draw_curve("x", one), AllOf(HasSubstr("class=\"dot\""), Not(HasSubstr("nan"))));
  EXPECT_THAT(refusal_of([] { draw_curve("loss", {}); }), HasSubstr("no values of 'loss'"));
}

}  // namespace
}  // namespace sgf::testing
