// The first thing that two ranks do not have in common, in words that name it.
#include "sgf/training/distributed/rank_agreement.h"

#include "tests/core/refusal.h"

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const RunTerms kTerms{{"version", "0.1.0"}, {"train.steps", "100"}, {"optimiser.learning_rate", "2.0e-06"}};

RunTerms with(size_t index, const std::string& value) {
  RunTerms terms = kTerms;
  terms[index].value = value;
  return terms;
}

TEST(RankAgreement, EqualTermsDoNotDiffer) { EXPECT_FALSE(first_difference(kTerms, kTerms)); }

TEST(RankAgreement, TheFirstKeyInOrderIsTheOneNamed) {
  RunTerms other = with(2, "1.0e-03");
  EXPECT_EQ(first_difference(kTerms, other)->key, "optimiser.learning_rate");
  other[1].value = "6";
  EXPECT_EQ(first_difference(kTerms, other)->key, "train.steps");
  EXPECT_EQ(first_difference(kTerms, other)->first, "100");
  EXPECT_EQ(first_difference(kTerms, other)->other, "6");
}

TEST(RankAgreement, ATermThatOneSideLacksDiffers) {
  RunTerms more = kTerms;
  more.push_back({"the content of data.prompts", "abc"});
  EXPECT_EQ(first_difference(more, kTerms)->other, std::nullopt);
  EXPECT_EQ(first_difference(kTerms, more)->first, std::nullopt);
  EXPECT_EQ(first_difference(kTerms, more)->key, "the content of data.prompts");
}

TEST(RankAgreement, AnEmptyValueIsNotAMissingOne) {
  EXPECT_TRUE(first_difference({{"data.prompts", ""}}, {}));
  EXPECT_FALSE(first_difference({{"data.prompts", ""}}, {{"data.prompts", ""}}));
}

TEST(RankAgreement, TheWordsNameKeyValuesAndRanks) {
  const auto words = [](const RunTerms& other) {
    return describe_difference(*first_difference(kTerms, other), "rank 0 (host a, pid 1)", "rank 3 (host b, pid 2)");
  };
  EXPECT_THAT(words(with(1, "6")),
              HasSubstr("differ in train.steps: '100' on rank 0 (host a, pid 1), '6' on rank 3 (host b, pid 2)"));
  EXPECT_THAT(words({kTerms[0], kTerms[2]}),
              HasSubstr("train.steps: '100' on rank 0 (host a, pid 1), nothing on rank 3"));
  EXPECT_THAT(words(with(0, "\x1b[31m")), Not(HasSubstr("\x1b")));
}

// A message shows the beginning of a long value.
TEST(RankAgreement, LongValuesThatBeginAlikeAreToldApart) {
  const std::string same(500, 'a');
  const std::string words = describe_difference({"negative_prompt", same + "b", same + "c"}, "rank 0 (host a, pid 1)",
                                                "rank 1 (host a, pid 2)");
  const size_t first = words.find("SHA-256 "), second = words.rfind("SHA-256 ");
  ASSERT_NE(first, second);
  EXPECT_NE(words.substr(first, 20), words.substr(second, 20));
}

TEST(RankAgreement, TermsTravelWhateverTheirBytes) {
  const RunTerms terms{{"data.prompts", std::string("a:\n\0 7:\xff", 9)}, {"name", ""}, {"", "3:abc"}};
  const RunTerms read = read_terms(write_terms(terms));
  ASSERT_EQ(read.size(), terms.size());
  EXPECT_FALSE(first_difference(terms, read));
}

TEST(RankAgreement, WhatIsNotTermsIsRefused) {
  for (const char* text : {"x", "3", "3:ab", "2:ab", "99999999999999999999:a1:b", ":1:a", "1"})
    EXPECT_THAT(refusal_of([&] { read_terms(text); }), HasSubstr("expected the terms of a rank")) << text;
}

}  // namespace
}  // namespace sgf
