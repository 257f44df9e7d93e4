#include "sgf/kernels/rectangles.h"

#include "sgf/core/error.h"

namespace sgf {
namespace {

void check_ranges(const std::vector<TokenRange>& ranges, int64_t repeat, int64_t tokens, const char* what) {
  SGF_CHECK(!ranges.empty() && (repeat == 1 || ranges.size() == 1),
            "a rectangle has {} ranges of {} and repeat {}; expected at least one range, and exactly one if repeated",
            ranges.size(), what, repeat);
  for (const TokenRange& range : ranges)
    SGF_CHECK(range.begin >= 0 && range.count > 0 && range.begin + range.count * repeat <= tokens,
              "{} [{}, {}) x {} exceed the sequence of {} tokens", what, range.begin, range.end(), repeat, tokens);
}

}  // namespace

AttentionRegion AttentionRegion::dense(int64_t query_tokens, int64_t key_tokens) {
  return {query_tokens, key_tokens, {{{{0, query_tokens}}, {{0, key_tokens}}}}};
}

void AttentionRegion::validate() const {
  for (const Rectangle& rectangle : rectangles) {
    SGF_CHECK(rectangle.repeat >= 1, "repeat of a rectangle must be at least 1, got {}", rectangle.repeat);
    check_ranges(rectangle.queries, rectangle.repeat, query_tokens, "queries");
    check_ranges(rectangle.keys, rectangle.repeat, key_tokens, "keys");
  }
}

}  // namespace sgf
