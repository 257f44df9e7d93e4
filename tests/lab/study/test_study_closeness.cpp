// When a student counts as close to its teacher: by shares and likeness, which have a whole, and by nothing else.
#include "lab/study/study_closeness.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sgf {
namespace {

constexpr double kLeast = 0.005;

bool is_close(const char* metric, double student, double teacher) {
  return closeness_of(study_metric(metric), student, teacher, kLeast).is_close;
}

TEST(Closeness, TakesSharesOfFramesAsTheyAre) {
  EXPECT_TRUE(is_close("valid", 0.84, 0.926));
  EXPECT_FALSE(is_close("valid", 0.83, 0.926));
  EXPECT_TRUE(is_close("valid", 1, 0.5));  // better is not far
  EXPECT_TRUE(is_close("valid", 0.006, 0.01));
  EXPECT_FALSE(is_close("valid", 0.004, 0.01));  // more than a tenth, and more than the least difference
}

TEST(Closeness, TakesErrorsAsLikenessSoThatATeacherNearZeroAsksForNoMore) {
  EXPECT_TRUE(is_close("landmark_drift", 0.048, 0.019));
  EXPECT_TRUE(is_close("landmark_drift", 0.117, 0.019));   // likeness .883 against .981
  EXPECT_FALSE(is_close("landmark_drift", 0.118, 0.019));  // .882
  EXPECT_FALSE(is_close("identity_error", 0.62, 0.55));    // a poor teacher asks for no less than a tenth of its own
  EXPECT_TRUE(is_close("identity_error", 0.59, 0.55));
}

TEST(Closeness, KeepsWhatWasMeasuredBesideWhatDecides) {
  const Closeness row = closeness_of(study_metric("landmark_drift"), 0.048, 0.019, kLeast);
  EXPECT_NEAR(*row.difference(), -0.029, 1e-12);
  EXPECT_NEAR(*row.relative_difference(), -0.029 / 0.981, 1e-12);
  EXPECT_NEAR(row.raw_relative_difference(), 0.029 / 0.019, 1e-12);
  EXPECT_TRUE(row.is_raw_worse(kLeast));
  EXPECT_FALSE(closeness_of(study_metric("landmark_drift"), 0.0205, 0.019, kLeast).is_raw_worse(kLeast));
}

TEST(Closeness, IsNotSaidOfAMetricWithoutAWhole) {
  const Closeness row = closeness_of(study_metric("rerender_error"), 0.03, 0.03, kLeast);
  EXPECT_EQ(row.difference(), std::nullopt);
  EXPECT_EQ(row.relative_difference(), std::nullopt);
  EXPECT_FALSE(row.is_close);
  EXPECT_EQ(row.raw_relative_difference(), 0);
}

TEST(Closeness, IsNotSaidOfWhatWasNotMeasured) {
  EXPECT_FALSE(is_close("valid", std::nan(""), 0.9));
  EXPECT_FALSE(is_close("identity_error", 0.1, std::nan("")));
}

TEST(StudyMetrics, HaveAWholeOnlyWhereTheirDirectionAgreesWithIt) {
  for (const StudyMetric& metric : study_metrics()) {
    const Better better = metric.whole == Whole::kFrames ? Better::kMore : Better::kLess;
    EXPECT_TRUE(metric.whole == Whole::kNone || metric.better == better) << metric.name;
  }
}

}  // namespace
}  // namespace sgf
