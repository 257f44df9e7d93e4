// Scores of a blind study, against numbers worked out by hand.
#include "lab/preference/preference_score.h"

#include <gtest/gtest.h>

#include <string>

namespace sgf {
namespace {

// "G", "S", "B", or "." for a pair left open.
std::vector<std::optional<PairVerdict>> row_of(const std::string& letters) {
  std::vector<std::optional<PairVerdict>> row;
  for (const char letter : letters) {
    row.emplace_back();
    if (letter == 'G') row.back() = PairVerdict::kGood;
    if (letter == 'S') row.back() = PairVerdict::kSame;
    if (letter == 'B') row.back() = PairVerdict::kBad;
  }
  return row;
}

// As answers of a study in which A is always on the left.
std::vector<RaterAnswers> answers_of(const std::vector<std::string>& rows) {
  std::vector<RaterAnswers> answers;
  for (const std::string& letters : rows) {
    RaterAnswers rater{.file = {}, .rater = letters, .shown = {}, .choices = {}};
    for (const auto& verdict : row_of(letters)) {
      rater.choices.emplace_back();
      if (verdict) rater.choices.back() = static_cast<RaterChoice>(*verdict);
    }
    answers.push_back(rater);
  }
  return answers;
}

PreferenceScore score_rows(const std::vector<std::string>& rows) {
  return score_preference(answers_of(rows), std::vector<bool>(rows.front().size(), true), {});
}

TEST(PreferenceScore, TellsSidesFromMethods) {
  std::vector<RaterAnswers> answers = answers_of({"GSB"});  // left, same, right
  EXPECT_EQ(verdicts_of(answers, {true, true, true})[0], row_of("GSB"));
  EXPECT_EQ(verdicts_of(answers, {false, false, false})[0], row_of("BSG"));
}

TEST(PreferenceScore, CountsAndPrefers) {
  const PreferenceScore score = score_rows({"GGGSB.", "GSBB.."});
  EXPECT_EQ(score.all.good, 4);
  EXPECT_EQ(score.all.same, 2);
  EXPECT_EQ(score.all.bad, 3);
  EXPECT_EQ(score.open, 3);
  EXPECT_EQ(score.raters[1].open, 2);
  EXPECT_DOUBLE_EQ(*score.all.preference(), 1.0 / 9);
  EXPECT_EQ(score.pairs[2].good, 1);
  EXPECT_EQ(score.pairs[2].bad, 1);
  EXPECT_EQ(score.chose_left, 4);
  EXPECT_EQ(score.chose_right, 3);
}

TEST(PreferenceScore, OfNoAnswersIsNone) {
  const PreferenceScore score = score_rows({"...."});
  EXPECT_FALSE(score.all.preference().has_value());
  EXPECT_FALSE(score.interval.has_value());
  EXPECT_EQ(score.open, 4);
}

TEST(StudyBootstrap, HoldsThePreferenceAndRepeats) {
  const PreferenceScore score = score_rows({"GGGGGGSSBBGGGGSSSBBB"});
  ASSERT_TRUE(score.interval.has_value());
  EXPECT_LT(score.interval->low, *score.all.preference());
  EXPECT_GT(score.interval->high, *score.all.preference());
  const auto again = bootstrap_preference(score.pairs, 10000, 0), other = bootstrap_preference(score.pairs, 200, 1);
  EXPECT_EQ(again->low, score.interval->low);
  EXPECT_NE(other->low + other->high, score.interval->low + score.interval->high);
}

// The mean of n draws of +1 and -1 with equal odds has a deviation of 1 / sqrt(n).
TEST(StudyBootstrap, IsAsWideAsTheMeanOfCoins) {
  std::string coins;
  for (int i = 0; i < 200; ++i) coins += "GB";
  const PreferenceScore score = score_rows({coins});
  EXPECT_NEAR(score.interval->high, 1.96 / 20, .012);
  EXPECT_NEAR(score.interval->low, -1.96 / 20, .012);
}

// Raters who all say the same add answers, not pairs: the interval must not shrink.
TEST(StudyBootstrap, DoesNotTakeRatersForPairs) {
  const PreferenceScore one = score_rows({"GGGBSGBGSB"}), four = score_rows({"GGGBSGBGSB", "GGGBSGBGSB", "GGGBSGBGSB"});
  EXPECT_EQ(one.interval->low, four.interval->low);
  EXPECT_EQ(one.interval->high, four.interval->high);
}

TEST(StudyAgreement, OfTwoIsCohens) {
  // Agree on 3 of 4; chance: G 2/4 * 3/4 + S 1/4 * 0 + B 1/4 * 1/4 = 7/16.
  const auto agreement = agreement_of({row_of("GGSB"), row_of("GGGB")});
  EXPECT_EQ(agreement->pairs, 4);
  EXPECT_DOUBLE_EQ(agreement->raw, .75);
  EXPECT_NEAR(*agreement->kappa, (.75 - 7.0 / 16) / (1 - 7.0 / 16), 1e-12);
}

TEST(StudyAgreement, OfThreeIsFleiss) {
  // Pairs GGG, GGB, SSB: agreement (1 + 1/3 + 1/3) / 3 = 5/9; shares G 5/9, S 2/9, B 2/9, chance 33/81.
  const auto agreement = agreement_of({row_of("GGS"), row_of("GGS"), row_of("GBB")});
  EXPECT_NEAR(agreement->raw, 5.0 / 9, 1e-12);
  EXPECT_NEAR(*agreement->kappa, (5.0 / 9 - 33.0 / 81) / (1 - 33.0 / 81), 1e-12);
}

TEST(StudyAgreement, CountsPairsThatAllAnswered) {
  EXPECT_EQ(agreement_of({row_of("GG.B"), row_of("GBS.")})->pairs, 2);
  EXPECT_FALSE(agreement_of({row_of("G."), row_of(".G")}).has_value());
  EXPECT_FALSE(agreement_of({row_of("GG")}).has_value());
}

TEST(StudyAgreement, HasNoKappaWhereChanceAgreesFully) {
  const auto agreement = agreement_of({row_of("GG"), row_of("GG")});
  EXPECT_DOUBLE_EQ(agreement->raw, 1);
  EXPECT_FALSE(agreement->kappa.has_value());
}

}  // namespace
}  // namespace sgf
