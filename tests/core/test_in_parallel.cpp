// Pieces of work on several threads end as a loop over them would.
#include "sgf/core/error.h"
#include "sgf/core/in_parallel.h"
#include "tests/core/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <set>
#include <thread>

namespace sgf {
namespace {

TEST(InParallel, EveryPieceIsDoneOnce) {
  for (const int64_t threads : {1, 2, 5, 40}) {
    std::vector<std::atomic<int>> done(33);
    in_parallel(33, threads, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
    for (const auto& times : done) EXPECT_EQ(times, 1) << threads;
  }
  in_parallel(0, 4, [](int64_t) { FAIL() << "there is no piece"; });
}

TEST(InParallel, UsesAsManyThreadsAsAsked) {
  std::barrier together(3);  // a piece ends only when three run at a time
  std::mutex mutex;
  std::set<std::thread::id> seen;
  in_parallel(3, 3, [&](int64_t) {
    together.arrive_and_wait();
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen.size(), 3u);
  seen.clear();
  in_parallel(8, 1, [&](int64_t) { seen.insert(std::this_thread::get_id()); });  // the control
  EXPECT_THAT(seen, ::testing::ElementsAre(std::this_thread::get_id()));
}

TEST(InParallel, TheErrorOfTheLowestPieceIsThrownAndNoFurtherOneBegins) {
  std::barrier together(2);
  std::atomic<int> begun = 0;
  const std::string refusal = refusal_of([&] {
    in_parallel(1000, 2, [&](int64_t i) {
      ++begun;
      together.arrive_and_wait();  // both run before either fails
      fail("piece {}", i);
    });
  });
  EXPECT_EQ(refusal, "piece 0");
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace sgf
