// The check of the library: its message costs nothing where it holds.
#include "sgf/core/error.h"

#include "tests/core/refusal.h"

namespace sgf {
namespace {

TEST(Check, EvaluatesItsMessageOnlyWhereItFails) {
  int evaluated = 0;
  const auto shown = [&] { return ++evaluated; };
  SGF_CHECK(evaluated == 0, "evaluated {} times", shown());
  EXPECT_EQ(evaluated, 0);
  EXPECT_EQ(refusal_of([&] { SGF_CHECK(evaluated > 0, "evaluated {} times", shown()); }), "evaluated 1 times");
  EXPECT_EQ(evaluated, 1);
}

TEST(Check, EvaluatesItsConditionOnce) {
  int evaluated = 0;
  SGF_CHECK(++evaluated == 1, "evaluated {} times", evaluated);
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace sgf
