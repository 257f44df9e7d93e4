// Arms against the student they started from: better, worse, or not known.
#include "lab/study/findings.h"
#include "lab/study/study_words.h"
#include "tests/lab/study/made_up_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::made_up_study;
using testing::TemporaryFolder;
using testing::write_made_up_arms;

GranularityFindings found_in(const Study& study, const std::vector<ArmResult>& results) {
  return find_out(study, Granularity::kChunkwise, arms_of(study.recipe(), {}), results);
}

const Change& change_of(const GranularityFindings& found, std::string_view arm, std::string_view metric,
                        int64_t length) {
  return *std::ranges::find_if(
      found.changes, [&](const Change& c) { return c.arm == arm && c.metric == metric && c.length == length; });
}

// Of SGF at 1x; in made-up arms it is `gain` better than the initial student, and SF no better than that.
std::string sgf_sentence(double gain) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  return start_sentences(study, found_in(study, write_made_up_arms(study, gain)))[1];
}

TEST(Starts, ArmsAreSaidToBeBetterOrWorseThanTheStudentTheyStartedFrom) {
  EXPECT_THAT(sgf_sentence(0.05),
              HasSubstr("chunk-wise, at 1x SGF is better than the student it started from on 2 of 2 "
                        "headline metrics (valid frames +0.0"));
  EXPECT_THAT(sgf_sentence(0.05), HasSubstr(") and worse on none; of all 12 metrics, 12 are better and 0 are worse."));
  EXPECT_THAT(sgf_sentence(-0.05), HasSubstr("at 1x SGF is WORSE than the student it started from on 2 of 2"));
  EXPECT_THAT(
      sgf_sentence(-0.05),
      HasSubstr(
          "and better on none; of all 12 metrics, 0 are better and 12 are worse (outside the headline: landmark"));
  EXPECT_THAT(sgf_sentence(0),
              HasSubstr("at 1x SGF is not seen to differ from the student it started from on any of 2"));
}

TEST(Starts, APartThatGotWorseIsNotHiddenByOneThatGotBetter) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  for (ArmResult& result : results)
    if (result.arm.kind == ArmKind::kSgf)
      for (std::optional<double>& value : result.scores.find("valid")->second[0]) *value -= 0.2;
  const std::vector<std::string> words = start_sentences(study, found_in(study, results));
  EXPECT_THAT(words[1],
              HasSubstr("is better than the student it started from on 1 of 2 headline metrics (identity error"));
  EXPECT_THAT(words[1], HasSubstr("and WORSE on 1 (valid frames -0.1"));
  EXPECT_THAT(words[1], HasSubstr("11 are better and 1 are worse."));
  EXPECT_THAT(words[3], HasSubstr("at 12x SGF is better than the student it started from"));  // there nothing changed
}

// Between prompts values scatter by far more than by what training changed.
TEST(Starts, DifferencesArePairedByPromptAndTakenAtEveryHorizon) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const GranularityFindings found = found_in(study, write_made_up_arms(study, 0.02, 0.1));
  EXPECT_EQ(change_of(found, "SGF", "valid", 1).verdict, Verdict::kBetter);
  EXPECT_LT(change_of(found, "SGF", "valid", 1).difference.high, 0.03);
  EXPECT_NEAR(change_of(found, "SF", "identity_error", 12).difference.mean, -0.2, 0.01);  // the start forgets
  EXPECT_EQ(change_of(found, "SF", "identity_error", 1).verdict, Verdict::kNoDifference);
  EXPECT_EQ(found.changes.size(), 2u * 12u * 2u);  // arms, metrics with a direction, horizons
}

TEST(Starts, ARunNeedsItsStartAndNotTheOtherOneOfItsPair) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  std::erase_if(results, [](const ArmResult& result) { return result.arm.kind == ArmKind::kSgf; });
  const std::vector<std::string> words = start_sentences(study, found_in(study, results));
  EXPECT_EQ(words.size(), 2u);
  EXPECT_THAT(words, ::testing::Each(HasSubstr("x SF is")));
  std::erase_if(results, [](const ArmResult& result) { return result.arm.kind == ArmKind::kInitial; });
  EXPECT_THAT(start_sentences(study, found_in(study, results)), ::testing::ElementsAre(HasSubstr("Unknown")));
}

TEST(Starts, ARunFromOtherWeightsIsNamedAndNotHeldAgainstThem) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  results[2].json["weights"]["sha256"] = "first";
  for (ArmResult& result : results)
    if (result.arm.is_trained()) result.json["training"]["student_sha256"] = "first";
  EXPECT_TRUE(found_in(study, results).other_starts.empty());
  results[2].json["weights"]["sha256"] = "second";
  const GranularityFindings found = found_in(study, results);
  EXPECT_TRUE(found.changes.empty());
  EXPECT_EQ(found.pairs.size(), 2u);  // they still match each other
  EXPECT_TRUE(found.unmatched.empty());
  EXPECT_THAT(found.other_starts[0],
              HasSubstr("chunkwise-sf-1 started from other weights than those of chunkwise-initial"));
}

// A study whose first pair was trained for twice the steps too, after which SF is `fall` worse everywhere.
std::vector<std::string> words_of_twice(double fall, const std::function<void(std::vector<ArmResult>&)>& change = {}) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder, testing::made_up_recipe_with_twice());
  std::vector<ArmResult> results = write_made_up_arms(study, 0.05);
  for (ArmResult& result : results)
    if (result.arm.is_twice && result.arm.kind == ArmKind::kSf)
      for (auto& [metric, segments] : result.scores)
        for (std::optional<double>& value : segments[0])
          *value += study_metric(metric).better == Better::kMore ? -fall : fall;
  if (change) change(results);
  const GranularityFindings found = found_in(study, results);
  EXPECT_EQ(found.pairs.size(), 2u);  // runs of twice the steps are no pairs of the study
  return twice_sentences(study, found);
}

TEST(TwiceAsManyUpdates, SayWhetherArmsStayBetterThanTheirStartAndThanTheyWere) {
  const std::vector<std::string> stays = words_of_twice(0), falls = words_of_twice(0.1);
  EXPECT_THAT(stays[0], HasSubstr("at 1x SF after twice the steps is not seen to differ from the student"));
  EXPECT_THAT(stays[1], HasSubstr("is not seen to differ from SF after the usual steps"));
  EXPECT_THAT(stays[2], HasSubstr("SGF after twice the steps is better than the student it started from"));
  EXPECT_THAT(falls[0], HasSubstr("SF after twice the steps is WORSE than the student it started from"));
  EXPECT_THAT(falls[1], HasSubstr("is WORSE than SF after the usual steps"));
  EXPECT_THAT(falls[1], HasSubstr("on 2 of 2 headline metrics (valid frames -0.100"));
  EXPECT_EQ(falls[2], stays[2]);
}

TEST(TwiceAsManyUpdates, HoldSgfAgainstSfAtEveryHorizon) {
  const std::vector<std::string> stays = words_of_twice(0), falls = words_of_twice(0.1);
  ASSERT_EQ(stays.size(), 6u);
  EXPECT_THAT(stays[4], HasSubstr("at 1x SGF after twice the steps is better than SF after as many steps on 2 of 2"));
  EXPECT_THAT(stays[4], HasSubstr("(valid frames +0.050"));
  EXPECT_THAT(falls[4], HasSubstr("(valid frames +0.150"));  // SF fell at 1x alone
  EXPECT_THAT(falls[5], HasSubstr("at 12x SGF after twice the steps is better than SF after as many"));
  EXPECT_EQ(falls[5], stays[5]);
}

// A start of the critic alone makes twice the steps more than twice the updates.
TEST(TwiceAsManyUpdates, AreCounted) {
  const std::vector<std::string> words = words_of_twice(0, [](std::vector<ArmResult>& results) {
    for (ArmResult& result : results)
      if (result.arm.is_trained()) result.json["training"]["generator_updates"] = result.arm.is_twice ? 240 : 100;
  });
  EXPECT_EQ(words.size(), 7u);
  EXPECT_EQ(words[0],
            "Twice the steps means 240 generator updates instead of 100, in only one pair: the spread over seeds is "
            "unknown.");
}

TEST(TwiceAsManyUpdates, AreAskedForByTheRecipeAlone) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  EXPECT_TRUE(twice_sentences(study, found_in(study, write_made_up_arms(study, 0.05))).empty());
}

TEST(TwiceAsManyUpdates, AreNotKnownWithoutTheirRuns) {
  const auto drop = [](bool is_twice) {
    return [is_twice](std::vector<ArmResult>& results) {
      std::erase_if(results,
                    [&](const ArmResult& r) { return r.arm.is_twice && (is_twice || r.arm.kind == ArmKind::kSf); });
    };
  };
  EXPECT_THAT(words_of_twice(0, drop(true)), ::testing::ElementsAre(HasSubstr("Unknown how twice the steps")));
  EXPECT_THAT(words_of_twice(0, drop(false)), ::testing::Each(HasSubstr("SGF after twice")));
}

TEST(TwiceAsManyUpdates, APairThatDoesNotMatchIsLeftOut) {
  const std::vector<std::string> words = words_of_twice(
      0, [](std::vector<ArmResult>& results) { results.back().json["training"]["exits_sha256"] = "other"; });
  EXPECT_THAT(words, ::testing::ElementsAre(HasSubstr("Unknown")));
}

}  // namespace
}  // namespace sgf
