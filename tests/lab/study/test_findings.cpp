// What a study concludes from made-up arms: for, against, neither; and whether it had a question to ask.
#include "lab/study/findings.h"
#include "lab/study/study_words.h"
#include "tests/lab/study/made_up_study.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::made_up_study;
using testing::TemporaryFolder;
using testing::write_made_up_arm;
using testing::write_made_up_arms;

TEST(Verdict, FollowsFromTheIntervalAndTheDirection) {
  const Interval above{.mean = 0.1, .low = 0.02, .high = 0.2, .count = 9};
  const Interval below{.mean = -0.1, .low = -0.2, .high = -0.02, .count = 9};
  const Interval across{.mean = 0.1, .low = -0.01, .high = 0.2, .count = 9};
  EXPECT_EQ(verdict_of(above, Better::kMore), Verdict::kBetter);
  EXPECT_EQ(verdict_of(above, Better::kLess), Verdict::kWorse);
  EXPECT_EQ(verdict_of(below, Better::kMore), Verdict::kWorse);
  EXPECT_EQ(verdict_of(below, Better::kLess), Verdict::kBetter);
  EXPECT_EQ(verdict_of(across, Better::kMore), Verdict::kNoDifference);
  EXPECT_EQ(verdict_of(above, Better::kMore, 0.1), Verdict::kBetter);
  EXPECT_EQ(verdict_of(above, Better::kMore, 0.11), Verdict::kNoDifference);  // seen, and too small to count
  EXPECT_EQ(verdict_of(Interval{}, Better::kLess), Verdict::kNoDifference);
}

GranularityFindings findings_of(const Study& study, const std::vector<ArmResult>& results) {
  return find_out(study, Granularity::kChunkwise, arms_of(study.recipe(), {}), results);
}

std::string first_conclusion(double gain) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  return conclusions_of(study, findings_of(study, write_made_up_arms(study, gain))).front();
}

TEST(Conclusions, SpeakForAgainstOrNeither) {
  EXPECT_THAT(first_conclusion(0.05), HasSubstr("better in 4, worse in 0, and no difference was seen in 0;"));
  EXPECT_THAT(first_conclusion(0.05), HasSubstr("4 and 0 of these hold: this supports the paper's claim."));
  EXPECT_THAT(first_conclusion(-0.05), HasSubstr("0 and 4 of these hold: this contradicts the paper's claim."));
  EXPECT_THAT(first_conclusion(0), HasSubstr("no difference was seen in 4; this neither supports nor contradicts"));
}

// Of twenty questions without an answer one seems to have one.
TEST(Conclusions, TakeADifferenceThatHoldsAloneForAHint) {
  EXPECT_THAT(sentence_of(Granularity::kChunkwise, Tally{.better = 1, .none = 8}, 5),
              HasSubstr("for 9 questions, 0 and 0 of these hold: a hint for the paper's claim, but no evidence"));
  EXPECT_THAT(sentence_of(Granularity::kChunkwise, Tally{.better = 1, .none = 8, .better_holds = 1}, 5),
              HasSubstr("this supports the paper's claim"));
  EXPECT_THAT(sentence_of(Granularity::kChunkwise, Tally{.better = 1, .worse = 1, .none = 7}, 5),
              HasSubstr("hints in both directions"));
}

TEST(Conclusions, OfOnePairAreSaidToBeOfOne) {
  const Tally clear{.better = 4, .better_holds = 4};
  EXPECT_THAT(sentence_of(Granularity::kChunkwise, clear, 1),
              HasSubstr("this supports the paper's claim, as far as one pair can show."));
  EXPECT_THAT(sentence_of(Granularity::kChunkwise, clear, 2), HasSubstr("this supports the paper's claim."));
}

// The smallest p that 100 resamples can tell is 2 / 101; of four questions the first asks .05 / 4.
TEST(Conclusions, SayWhereResamplesAreTooFewToAnswerAllTogether) {
  const auto words_with = [](const std::string& resamples) {
    const TemporaryFolder folder;
    std::string recipe = testing::kMadeUpRecipe;
    recipe.replace(recipe.find("resamples: 500"), 14, "resamples: " + resamples);
    const Study study = made_up_study(folder, recipe);
    return fmt::format("{}",
                       fmt::join(conclusions_of(study, findings_of(study, write_made_up_arms(study, 0.05))), " "));
  };
  EXPECT_THAT(words_with("158"), HasSubstr("158 resamples are too few to answer all questions together"));
  EXPECT_THAT(words_with("158"), HasSubstr("set analysis.resamples to 159 or more"));
  EXPECT_THAT(words_with("159"), ::testing::Not(HasSubstr("too few")));
  EXPECT_THAT(words_with("159"), HasSubstr("4 and 0 of these hold"));
}

TEST(Conclusions, AskAllHeadlineComparisonsTogether) {
  EXPECT_EQ(answered_together({0.03, 0.001, 0.02}, 0.05), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(answered_together({0.03, 0.001, 0.026}, 0.05), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(answered_together({0.02, 0.03, 0.04}, 0.05), (std::vector<bool>{false, false, false}));
  EXPECT_TRUE(answered_together({}, 0.05).empty());
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  for (const Comparison& c : findings_of(study, write_made_up_arms(study, 0.05)).comparisons)
    EXPECT_EQ(c.holds, study.is_headline(c.metric) && study.is_horizon(c.length)) << c.metric << ' ' << c.length;
}

TEST(Conclusions, DoubtTheVerdictWhereThePreconditionFails) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const std::string doubt = "not all preconditions of the study hold";
  const auto first = [&](double forgetting) {
    return conclusions_of(study, findings_of(study, write_made_up_arms(study, 0.05, forgetting))).front();
  };
  EXPECT_THAT(first(0.1), ::testing::Not(HasSubstr(doubt)));
  EXPECT_THAT(first(0), HasSubstr(doubt));
}

TEST(Conclusions, AreMixedWhereComparisonsDisagree) {
  const Tally tally{.better = 1, .worse = 2, .none = 3, .better_holds = 1, .worse_holds = 1};
  const std::string words = sentence_of(Granularity::kFramewise, tally, 1);
  EXPECT_THAT(words, HasSubstr("frame-wise, 1 pair: of 6 headline comparisons"));
  EXPECT_THAT(words, HasSubstr("the evidence is mixed"));
}

TEST(Conclusions, NameEveryHeadlineComparisonWithItsPairs) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const std::vector<std::string> words = conclusions_of(study, findings_of(study, write_made_up_arms(study, 0.05)));
  EXPECT_EQ(words.size(), 6u);
  EXPECT_THAT(words[5], HasSubstr("2 pairs say little about the spread over seeds"));
  EXPECT_THAT(words[1], HasSubstr("chunk-wise, valid frames at 1x: SGF better, SGF - SF = +0.050"));
  EXPECT_THAT(words[4], HasSubstr("identity error at 12x: SGF better, SGF - SF = -0.050"));
  EXPECT_THAT(words[4], HasSubstr("2 of 2 pairs in its favour"));
}

TEST(Conclusions, SayWhatIsMissing) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  results.pop_back();
  const GranularityFindings found = findings_of(study, results);
  EXPECT_EQ(found.pairs, std::vector<int64_t>{1});
  const std::vector<std::string> words = conclusions_of(study, found);
  EXPECT_THAT(words.back(), HasSubstr("Missing: chunkwise-sgf-2"));
  EXPECT_THAT(words[words.size() - 2], HasSubstr("Only one pair"));
  results.resize(3);
  EXPECT_THAT(conclusions_of(study, findings_of(study, results)).front(), HasSubstr("no result yet"));
}

TEST(Conclusions, LeaveOutAPairThatDidNotSeeTheSameDraws) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  results.back().json["training"]["exits_sha256"] = "other";
  const GranularityFindings found = findings_of(study, results);
  EXPECT_EQ(found.pairs, std::vector<int64_t>{1});
  EXPECT_THAT(found.unmatched.front(), HasSubstr("chunkwise-sf-2 and chunkwise-sgf-2: exits_sha256 differs"));
}

// The run's own config counts, not what the recipe would give today.
TEST(Conclusions, LeaveOutAPairThatWasTrainedWithOtherSettings) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  Config config = study.config_of(results.back().arm);
  config.output.checkpoint_every += 1;  // what a run leaves is no setting
  results.back().json["training"]["config"] = to_yaml(config);
  EXPECT_TRUE(findings_of(study, results).unmatched.empty());
  config.optimiser.learning_rate *= 2;
  results.back().json["training"]["config"] = to_yaml(config);
  const GranularityFindings found = findings_of(study, results);
  EXPECT_EQ(found.pairs, std::vector<int64_t>{1});
  EXPECT_THAT(found.unmatched.front(), HasSubstr("chunkwise-sf-2: optimiser.learning_rate is"));
  for (const char* fact : {"student_sha256", "teacher_sha256"}) {
    results = write_made_up_arms(study, 0.05);
    results.back().json["training"][fact] = "other";
    EXPECT_THAT(findings_of(study, results).unmatched.front(), HasSubstr(fact));
  }
}

PreconditionVerdict precondition(double forgetting, double teacher_gain) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0, forgetting);
  results[1] = write_made_up_arm(study, results[1].arm, [&](std::string_view metric, size_t, size_t prompt) {
    const bool is_more = study_metric(metric).better == Better::kMore;
    return 0.4 + testing::shared_scatter(prompt) + (is_more ? teacher_gain : -teacher_gain);
  });
  return judge_precondition(study, findings_of(study, results));
}

TEST(Precondition, HoldsForAStudentThatIsGoodAtFirstAndForgets) {
  const PreconditionVerdict verdict = precondition(0.1, 0);
  EXPECT_TRUE(verdict.is_close);
  EXPECT_TRUE(verdict.does_grow);
  EXPECT_THAT(verdict.sentences, ::testing::Each(HasSubstr("Pass")));
}

TEST(Precondition, FailsForOneThatRemembersAndForOneThatIsFarFromItsTeacher) {
  EXPECT_FALSE(precondition(0, 0).does_grow);
  EXPECT_THAT(precondition(0, 0).sentences[2],
              HasSubstr("FAIL: from 1x to 12x, no growth at every step is seen for: "));
  EXPECT_FALSE(precondition(0.1, 0.3).is_close);
  EXPECT_FALSE(precondition(0.1, 0.06).is_close);
  EXPECT_TRUE(precondition(0.1, 0.03).is_close);
  EXPECT_THAT(precondition(0.1, 0.3).sentences[1], HasSubstr("FAIL: at 1x the initial student"));
}

TEST(Precondition, AsksForATeacherThatIsNearlyAsValidAsTheTruth) {
  const auto judged = [](double teacher) {
    const TemporaryFolder folder;
    const Study study = made_up_study(folder);
    std::vector<ArmResult> results = write_made_up_arms(study, 0);
    for (const size_t arm : {0u, 1u})
      results[arm] = write_made_up_arm(study, results[arm].arm,
                                       [&](std::string_view, size_t, size_t) { return arm == 0 ? 0.99 : teacher; });
    return judge_precondition(study, findings_of(study, results));
  };
  EXPECT_TRUE(judged(0.92).has_good_teacher);
  EXPECT_THAT(judged(0.92).sentences[0],
              HasSubstr("Pass: the teacher's share of valid frames at 1x is 0.920, 0.93 of the"));
  EXPECT_FALSE(judged(0.88).has_good_teacher);
  EXPECT_THAT(judged(0.88).sentences[0], HasSubstr("FAIL: the teacher's share of valid frames at 1x is 0.880"));
}

// Teacher and student as given in one metric, alike in all others.
PreconditionVerdict closeness(const std::string& headline, const std::string& chosen, double student, double teacher) {
  const TemporaryFolder folder;
  std::string recipe = testing::kMadeUpRecipe;
  recipe.replace(recipe.find("[valid, identity_error]"), std::string("[valid, identity_error]").size(), headline);
  const Study study = made_up_study(folder, recipe);
  std::vector<ArmResult> results = write_made_up_arms(study, 0);
  for (const size_t arm : {1u, 2u})
    results[arm] = write_made_up_arm(study, results[arm].arm, [&](std::string_view metric, size_t, size_t) {
      return metric != chosen ? 0.5 : arm == 1 ? teacher : student;
    });
  return judge_precondition(study, findings_of(study, results));
}

TEST(Precondition, NamesWhatTheRuleOfLikenessPassesOver) {
  const PreconditionVerdict near = closeness("[valid, landmark_drift]", "landmark_drift", 0.048, 0.019);
  EXPECT_TRUE(near.is_close);
  EXPECT_THAT(near.sentences[1], HasSubstr("Pass: at 1x"));
  EXPECT_THAT(near.sentences[1], HasSubstr("not counted by this rule: landmark drift 0.048 against 0.019 (+152.6 %)"));
  const PreconditionVerdict same = closeness("[valid, landmark_drift]", "landmark_drift", 0.019, 0.019);
  EXPECT_THAT(same.sentences[1], ::testing::Not(HasSubstr("not counted")));
  const PreconditionVerdict far = closeness("[valid, landmark_drift]", "landmark_drift", 0.3, 0.019);
  EXPECT_FALSE(far.is_close);
  EXPECT_THAT(far.sentences[1], HasSubstr("FAIL"));
  EXPECT_THAT(far.sentences[1], HasSubstr("landmark drift 0.300 against 0.019 (1 - error: -28.6 %)"));
}

TEST(Precondition, IsNotDecidedByMetricsWithoutAWholeNorByThoseThatAreNoHeadline) {
  const PreconditionVerdict beside = closeness("[valid, rerender_error]", "rerender_error", 0.9, 0.1);
  EXPECT_TRUE(beside.is_close);
  EXPECT_THAT(beside.sentences[1], HasSubstr("re-render error 0.900 against 0.100"));
  EXPECT_TRUE(closeness("[valid]", "identity_error", 0.9, 0.1).is_close);
  EXPECT_FALSE(closeness("[valid]", "valid", 0.1, 0.9).is_close);
  const PreconditionVerdict alone = closeness("[rerender_error]", "rerender_error", 0.1, 0.1);
  EXPECT_FALSE(alone.is_close);
  EXPECT_THAT(alone.sentences[1], HasSubstr("no headline metric allows relative differences"));
}

// What true clips lose by the measure itself is not forgetting.
TEST(Precondition, GrowthThatTheTruthHasTooIsNone) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0, 0.1);
  results[0] = write_made_up_arm(study, results[0].arm, [](std::string_view metric, size_t segment, size_t prompt) {
    const bool is_more = study_metric(metric).better == Better::kMore;
    return 0.4 + testing::shared_scatter(prompt) + (is_more ? 0 : 0.1 * static_cast<double>(segment));
  });
  EXPECT_FALSE(judge_precondition(study, findings_of(study, results)).does_grow);
}

}  // namespace
}  // namespace sgf
