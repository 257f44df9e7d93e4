// Memory that ran out is said in words: the work's name from the innermost door, and the size.
#include "sgf/core/out_of_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string passed_through(const std::bad_alloc& thrown, const std::string& door) {
  try {
    rethrow_out_of_memory(thrown, door);
  } catch (const OutOfMemory& error) {
    return error.what();
  }
}

TEST(OutOfMemory, SaysWhatAskedForHowMuchAndWhatToTry) {
  EXPECT_THAT(OutOfMemory(8'500'000'000, "reading a.png").what(),
              StartsWith("out of memory: reading a.png requested 8.5 GB; end other programs"));
  EXPECT_THAT(OutOfMemory(0, "reading a.png").what(), HasSubstr("requested more than is available"));
}

TEST(OutOfMemory, TheInnermostDoorNamesTheWork) {
  const OutOfMemory bare(2'000);
  EXPECT_THAT(bare.what(), HasSubstr("the program requested 2.0 kB"));
  EXPECT_THAT(passed_through(bare, "reading a.png"), HasSubstr("reading a.png requested 2.0 kB"));
  EXPECT_THAT(passed_through(OutOfMemory(2'000, "reading a.png"), "reading a folder"),
              HasSubstr("reading a.png requested"));
  EXPECT_THAT(passed_through(std::bad_alloc(), "reading a.png"), HasSubstr("reading a.png requested more than"));
}

TEST(OutOfMemory, ALongNameDoesNotOverrunTheText) {
  EXPECT_EQ(std::string(OutOfMemory(1, std::string(5'000, 'a')).what()).size(), 479u);
}

}  // namespace
}  // namespace sgf
