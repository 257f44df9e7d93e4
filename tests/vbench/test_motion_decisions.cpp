// Whether a video moves or stands still, against what the original makes of made-up scores.
#include "sgf/vbench/motion_decisions.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <vector>

namespace sgf {
namespace {

using Json = nlohmann::json;

// Recorded from VBench: lists of scores, frames and size, and what its two checks say.
Json recorded_decisions() {
  std::ifstream in(std::filesystem::path(SGF_TEST_DATA) / "vbench" / "motion_decisions.json");
  return Json::parse(in);
}

TEST(MotionDecisions, AreThoseOfTheOriginal) {
  const Json decisions = recorded_decisions();
  ASSERT_GE(decisions.size(), 10u);
  for (const Json& made : decisions) {
    const auto scores = made["scores"].get<std::vector<double>>();
    const MotionRule moving = dynamic_degree_rule(made["frames"], made["height"], made["width"]);
    const MotionRule still = static_filter_rule(made["frames"], made["height"], made["width"]);
    EXPECT_EQ(moving.threshold, made["thres"].get<double>()) << made;
    EXPECT_EQ(moving.count, made["count_num"].get<int64_t>()) << made;
    EXPECT_EQ(is_dynamic(scores, moving), made["dynamic"].get<bool>()) << made;
    EXPECT_EQ(still.threshold, made["static_thres"].get<double>()) << made;
    EXPECT_EQ(still.count, made["static_count"].get<int64_t>()) << made;
    EXPECT_EQ(is_static(scores, 0.3, 1.0, still), made["static"].get<bool>()) << made;
    EXPECT_EQ(is_static(scores, 0.3, 500, still), made["static_wrap_large"].get<bool>()) << made;
    EXPECT_EQ(is_static(scores, 500, 0.3, still), made["static_wrap_large"].get<bool>()) << made;
  }
}

TEST(MotionDecisions, HalvesRoundToTheEvenNeighbour) {
  EXPECT_EQ(round_half_even(0.5), 0);
  EXPECT_EQ(round_half_even(1.5), 2);
  EXPECT_EQ(round_half_even(2.5), 2);
  EXPECT_EQ(round_half_even(2.51), 3);
  EXPECT_EQ(round_half_even(-0.5), 0);
  EXPECT_EQ(round_half_even(-1.5), -2);
}

TEST(MotionDecisions, DynamicDegreeLooksAtEightFramesASecond) {
  EXPECT_EQ(dynamic_degree_stride(16), 2);
  EXPECT_EQ(dynamic_degree_stride(24), 3);
  EXPECT_EQ(dynamic_degree_stride(20), 2);  // 2.5
  EXPECT_EQ(dynamic_degree_stride(28), 4);  // 3.5
  EXPECT_EQ(dynamic_degree_stride(2), 1);
}

TEST(MotionDecisions, AScoreAtTheThresholdDoesNotMove) {
  const std::vector<double> at(4, 3.0), above(4, 3.0000001);
  const MotionRule rule{.threshold = 3, .count = 1};
  EXPECT_FALSE(is_dynamic(at, rule));
  EXPECT_TRUE(is_dynamic(above, rule));
  EXPECT_TRUE(is_static(at, 0, 0, rule));
  EXPECT_FALSE(is_static(above, 0, 0, rule));
}

}  // namespace
}  // namespace sgf
