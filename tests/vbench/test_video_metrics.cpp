// The metrics' formulas, on networks that are made up so that the answer is known.
#include "sgf/vbench/video_metrics.h"
#include "tests/core/refusal.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

// Pictures of one pixel, so that a network can be a function of three bytes.
at::Tensor pixels(const std::vector<std::vector<int>>& colours) {
  const at::Tensor pictures = at::zeros({static_cast<int64_t>(colours.size()), 1, 1, 3}, at::kByte);
  for (size_t f = 0; f < colours.size(); ++f)
    for (size_t c = 0; c < 3; ++c) pictures[static_cast<int64_t>(f)][0][0][static_cast<int64_t>(c)] = colours[f][c];
  return pictures;
}

at::Tensor as_rows(const at::Tensor& pictures) { return pictures.flatten(1).to(at::kDouble) - 100; }

MetricScore score_in_pieces(VideoMetric& metric, const at::Tensor& pictures, int64_t size) {
  for (int64_t begin = 0; begin < pictures.size(0); begin += size)
    metric.add(pictures.slice(0, begin, std::min(begin + size, pictures.size(0))));
  return metric.score();
}

TEST(Consistency, IsTheMeanOfPreviousAndFirst) {
  // Rows (1, 0, 0), (0, 1, 0), (1, 0, 0): the second is unlike both, the third like the first only.
  ConsistencyMetric metric(as_rows);
  const MetricScore score = score_in_pieces(metric, pixels({{101, 100, 100}, {100, 101, 100}, {101, 100, 100}}), 3);
  EXPECT_DOUBLE_EQ(score.value, (0 + 0.5) / 2);
  EXPECT_EQ(score.weight, 2);
}

TEST(Consistency, OppositeRowsCountAsUnlikeNotAsLess) {
  ConsistencyMetric metric(as_rows);
  const MetricScore score = score_in_pieces(metric, pixels({{101, 100, 100}, {99, 100, 100}}), 2);
  EXPECT_DOUBLE_EQ(score.value, 0);
  EXPECT_DOUBLE_EQ(score.parts.min().item<double>(), -1);
}

TEST(Consistency, DoesNotDependOnHowPicturesCome) {
  const at::Tensor pictures = at::randint(0, 256, {11, 1, 1, 3}, at::kByte);
  ConsistencyMetric whole(as_rows);
  const double expected = score_in_pieces(whole, pictures, 11).value;
  for (const int64_t size : {1, 2, 4}) {
    ConsistencyMetric metric(as_rows);
    EXPECT_NEAR(score_in_pieces(metric, pictures, size).value, expected, 1e-15) << size;
  }
}

TEST(Consistency, OnePictureIsTooFew) {
  ConsistencyMetric metric(as_rows);
  metric.add(pixels({{1, 2, 3}}));
  EXPECT_THAT(refusal_of([&] { metric.score(); }), ::testing::HasSubstr("at least 2 frames"));
}

at::Tensor half_way(const at::Tensor& first, const at::Tensor& second) {
  return ((first.to(at::kDouble) + second.to(at::kDouble)) / 2 / 255).permute({0, 3, 1, 2});
}

TEST(Smoothness, OddPicturesArePredictedFromEvenOnes) {
  SmoothnessMetric metric(half_way);
  // 10 -> 20 is predicted at 15 where 18 is, 20 -> 30 at 25 where 25 is; the last odd picture has no successor.
  const at::Tensor pictures = pixels({{10, 10, 10}, {18, 18, 18}, {20, 20, 20}, {25, 25, 25}, {30, 30, 30}, {9, 9, 9}});
  for (const int64_t size : {1, 2, 3, 6}) {
    SmoothnessMetric one(half_way);
    const MetricScore score = score_in_pieces(one, pictures, size);
    EXPECT_EQ(score.weight, 2) << size;
    EXPECT_NEAR(score.value, (255 - 1.5) / 255, 1e-12) << size;
  }
}

TEST(Smoothness, PredictionsAreCutOffNotRounded) {
  SmoothnessMetric metric(half_way);
  // Half way between 10 and 11 is 10.5: as a byte 10, as in the original.
  const MetricScore score = score_in_pieces(metric, pixels({{10, 10, 10}, {10, 10, 10}, {11, 11, 11}}), 3);
  EXPECT_DOUBLE_EQ(score.value, 1);
}

TEST(Smoothness, TwoPicturesAreTooFew) {
  SmoothnessMetric metric(half_way);
  metric.add(pixels({{1, 2, 3}, {1, 2, 3}}));
  EXPECT_THAT(refusal_of([&] { metric.score(); }), ::testing::HasSubstr("at least 3 frames"));
}

TEST(PictureMean, IsTheMeanOverPicturesNotOverPieces) {
  PictureMeanMetric metric([](const at::Tensor& pictures) { return pictures.flatten(1).select(1, 0).to(at::kFloat); });
  EXPECT_DOUBLE_EQ(score_in_pieces(metric, pixels({{1, 0, 0}, {2, 0, 0}, {6, 0, 0}}), 2).value, 3);
}

TEST(Flicker, OfTensorsIsThatOfBytes) {
  FlickerMetric metric;
  const MetricScore score = score_in_pieces(metric, pixels({{0, 10, 20}, {30, 10, 5}}), 1);
  EXPECT_DOUBLE_EQ(score.value, (255.0 - 15) / 255);
}

TEST(VideoMetrics, PicturesOfAnotherShapeAreRefused) {
  FlickerMetric metric;
  EXPECT_THAT(refusal_of([&] {
                metric.add(at::zeros({1, 3, 4, 4}, at::kByte));
              }),
              ::testing::HasSubstr("[F, H, W, 3]"));
  EXPECT_THAT(refusal_of([&] { metric.add(at::zeros({1, 4, 4, 3})); }), ::testing::HasSubstr("bytes"));
}

}  // namespace
}  // namespace sgf
