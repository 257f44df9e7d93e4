// Files of prompts: what counts as one, and in which order a run meets them.
#include "sgf/dataset/prompt_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

namespace sgf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::filesystem::path written(const testing::TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder / "prompts.txt", std::ios::binary) << text;
  return folder / "prompts.txt";
}

TEST(PromptList, IsOneALineWithoutBlanksAndMarks) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(read_prompts(written(folder,
                                   "\xEF\xBB\xBF"
                                   "one two\r\n\n  drei \xC3\xBC \nlast")),
              ElementsAre("one two", "drei \xC3\xBC", "last"));
}

TEST(PromptList, RefusesWhatIsNoListOfPrompts) {
  const testing::TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    return refusal_of([&] { read_prompts(written(folder, text)); });
  };
  EXPECT_THAT(refused(""), HasSubstr("no prompt"));
  EXPECT_THAT(refused(" \n\n"), HasSubstr("no prompt"));
  EXPECT_THAT(refused("caf\xE9\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(refused(std::string("a\0b\n", 4)), HasSubstr("UTF-8"));
  EXPECT_THAT(refused(std::string("\xFF\xFE"
                                  "a\0\n\0",
                                  6)),
              HasSubstr("UTF-16 text, expected UTF-8"));
  EXPECT_THAT(refusal_of([&] { read_prompts(folder / "none.txt"); }), HasSubstr("none.txt"));
  EXPECT_THAT(refusal_of([&] { read_prompts(folder.path()); }), HasSubstr("one per line"));
}

TEST(PromptList, NamesTheEncodingThatItCannotRead) {
  const testing::TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    return refusal_of([&] { read_prompts(written(folder, text)); });
  };
  using namespace std::string_literals;
  for (const std::string& text : {"\xFF\xFE"
                                  "a\0\n\0"s,
                                  "\xFE\xFF\0a\0\n"s})
    EXPECT_THAT(refused(text), HasSubstr("is UTF-16 text, expected UTF-8 (prompts, one per line); convert it: iconv"));
  EXPECT_THAT(refused("a\0 \0c\0"s), HasSubstr("is UTF-16LE text, expected UTF-8"));  // without a mark, iconv needs it
  EXPECT_THAT(refused("\0a\0 "s), HasSubstr("convert it: iconv -f UTF-16BE -t UTF-8"));
  EXPECT_THAT(refused("\xFF\xFE\0\0a\0\0\0"s), HasSubstr("UTF-32"));
  EXPECT_THAT(refused("caf\xE9"), ::testing::Not(HasSubstr("UTF-16")))
      << "the control: another encoding is not guessed";
}

class EveryCount : public ::testing::TestWithParam<int64_t> {};

TEST_P(EveryCount, EveryPromptComesOnceAnEpoch) {
  const PromptOrder order(GetParam(), 5);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::set<int64_t> seen;
    for (int64_t i = 0; i < GetParam(); ++i) seen.insert(order.at(epoch * GetParam() + i));
    EXPECT_EQ(static_cast<int64_t>(seen.size()), GetParam());
    EXPECT_GE(*seen.begin(), 0);
    EXPECT_LT(*seen.rbegin(), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, EveryCount, ::testing::Values(1, 2, 3, 4, 5, 16, 17, 1000));

TEST(PromptOrder, DiffersByEpochAndSeed) {
  const PromptOrder one(1000, 5), two(1000, 6);
  int same_epoch = 0, same_seed = 0, in_order = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    same_epoch += one.at(i) == one.at(1000 + i) ? 1 : 0;
    same_seed += one.at(i) == two.at(i) ? 1 : 0;
    in_order += one.at(i) == i ? 1 : 0;
  }
  EXPECT_LT(same_epoch, 20);
  EXPECT_LT(same_seed, 20);
  EXPECT_LT(in_order, 20);
}

}  // namespace
}  // namespace sgf
