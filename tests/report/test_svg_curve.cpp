// Curves as SVG: round ticks, gaps, spikes, and numbers that are none.
#include "sgf/report/svg_curve.h"

#include "sgf/report/svg_axes.h"
#include "tests/core/refusal.h"

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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
  EXPECT_THAT(both, AllOf(HasSubstr("one 2<"), HasSubstr("two 4<"), HasSubstr("<g color=\"#123456\">"),
                          HasSubstr("<g color=\"#abcdef\">")));
  EXPECT_THAT(alone, HasSubstr("456.0 39.8"));  // 2 is the highest of one run, and not of two
  EXPECT_THAT(both, AllOf(HasSubstr("456.0 136.1"), HasSubstr("456.0 39.8")));
}

TEST(SvgCurve, RunsWithoutValuesAreRefused) {
  EXPECT_THAT(refusal_of([] { draw_curves("loss", {{"one", "#123456", {}}}); }), HasSubstr("no values of 'loss'"));
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
}  // namespace sgf
