#include "apps/help/misuse_words.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

TEST(MisuseWords, SayWhatWasExpectedAndWhatCame) {
  EXPECT_EQ(misuse_words("--threads: Value 0 not in range 1 to 1024"), "--threads must be 1 to 1024, got 0");
  EXPECT_EQ(misuse_words("--threads: Value 0 not in range [1 - 1024]"), "--threads must be 1 to 1024, got 0");
  EXPECT_EQ(misuse_words("--times: Value -1 not in range 0.000000 to 2.500000"), "--times must be 0 to 2.5, got -1");
  EXPECT_EQ(misuse_words("--mode: fast not in {at-once,blocks}"), "--mode must be at-once or blocks, got 'fast'");
  EXPECT_EQ(misuse_words("--count: must be above 0, got 0"), "--count must be above 0, got 0");
  EXPECT_EQ(misuse_words("Could not convert: --height = x"), "--height must be a number, got 'x'");
}

TEST(MisuseWords, SayWhatIsTooMuch) {
  EXPECT_EQ(misuse_words("The following argument was not expected: -x"), "unexpected argument -x");
  EXPECT_EQ(misuse_words("The following arguments were not expected: c b"), "unexpected arguments c b");
}

TEST(MisuseWords, SayWhatCannotBeCombined) {
  EXPECT_EQ(misuse_words("--a excludes --b"), "--a cannot be combined with --b; pass one of them");
}

TEST(MisuseWords, SayWhatIsMissing) {
  EXPECT_EQ(misuse_words("A subcommand is required"), "a command is missing");
  EXPECT_EQ(misuse_words("--wan is required"), "--wan is missing");
  EXPECT_EQ(misuse_words("--metrics: 1 required NAMES:{a,b} missing"), "--metrics needs a value");
  EXPECT_EQ(misuse_words("--at: 2 required TIME PROMPT missing"), "--at needs 2 values: TIME PROMPT");
  EXPECT_EQ(misuse_words("--at requires --prompt"), "--at needs --prompt");
}

TEST(MisuseWords, ValuesFromOutsideAreQuoted) {
  EXPECT_EQ(misuse_words("--mode: \x1b[31m not in {a,b}"), "--mode must be a or b, got '\\x1b[31m'");
}

TEST(MisuseWords, OtherSentencesStayAsTheyAre) {
  for (const char* sentence : {"no model given: use --model world-small", ""})
    EXPECT_EQ(misuse_words(sentence), sentence);
  EXPECT_EQ(misuse_words("--size: --size must be WxH, got 'x'"), "--size must be WxH, got 'x'");
  EXPECT_EQ(misuse_words("--prompt: a prompt must contain at least one word, got ''"),
            "--prompt: a prompt must contain at least one word, got ''");
}

}  // namespace
}  // namespace sgf
