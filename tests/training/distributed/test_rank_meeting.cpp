// What ranks ask of one another when they meet, before any work: an address that means something, and one build.
#include "sgf/training/distributed/rank_meeting.h"

#include "sgf/core/build_version.h"
#include "sgf/training/distributed/rank_groups.h"
#include "tests/core/refusal.h"
#include "tests/training/distributed/rank_processes.h"

#include <gmock/gmock.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <future>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::rank_test_settings;

class RanksMeet : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_gloo()) GTEST_SKIP() << "this build was made without the headers of Gloo (libgloo-dev)";
  }

  // What a rank 1 of this build tells all others when rank 0 says that it is the build of these terms. Rank 0 is
  // played by hand, since every real one here is of this build.
  static std::string verdict_beside(const RunTerms& build_of_first) {
    const testing::HeldPort port;
    RankSettings settings = rank_test_settings();
    settings.start = std::chrono::seconds(20);
    std::future<std::string> second = std::async(std::launch::async, [&] {
      return refusal_of([&] { Ranks(RankPlace{.rank = 1, .size = 2, .port = port.number()}, settings); });
    });
    const RankMeeting meeting = meet(RankPlace{.rank = 0, .size = 2, .port = port.number()}, settings);
    meeting.store->set("agreement/1", write_terms(build_of_first));
    std::string verdict = meeting.store->get_to_str("agreement/1/1");
    meeting.store->set(kEndingKey, "the test has heard enough");
    EXPECT_EQ(second.get(), "the test has heard enough");
    return verdict;
  }
};

RunTerms terms_of_this_build() {
  return {{"version", build_version()}, {"commit", build_commit()}, {"torch version", TORCH_VERSION}};
}

TEST_F(RanksMeet, AnotherVersionCommitOrTorchIsNamed) {
  for (const RunTerm& term : terms_of_this_build()) {
    RunTerms another = terms_of_this_build();
    std::ranges::find(another, term.key, &RunTerm::key)->value = "that of another build";
    EXPECT_THAT(verdict_beside(another), AllOf(HasSubstr(fmt::format("differ in {}: ", term.key)),
                                               HasSubstr("'that of another build' on rank 0 (host ")));
  }
}

TEST_F(RanksMeet, TheSameBuildIsNot) { EXPECT_EQ(verdict_beside(terms_of_this_build()), ""); }

// Without this check the library would try to connect for as long as ranks are waited for.
TEST_F(RanksMeet, AMasterAddressThatMeansNothingIsNamedBeforeAnyoneIsWaitedFor) {
  RankSettings settings = rank_test_settings();
  settings.resolve = std::chrono::milliseconds(300);
  settings.start = std::chrono::seconds(1);
  for (const int64_t rank : {0, 1}) {
    const RankPlace place{.rank = rank, .size = 2, .address = "no-such-host.invalid"};
    EXPECT_THAT(refusal_of([&] { Ranks(place, settings); }),
                HasSubstr("MASTER_ADDR 'no-such-host.invalid' does not resolve"));
  }
}

}  // namespace
}  // namespace sgf
