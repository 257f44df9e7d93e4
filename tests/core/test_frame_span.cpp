// Blocks and patches.
#include "sgf/core/error.h"
#include "sgf/core/frame_span.h"
#include "sgf/core/patch_grid.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

TEST(BlockLayout, BlocksTileTheStream) {
  for (const int64_t block : {1, 2, 3})
    for (const int64_t first : {1, 2, 3}) {
      const BlockLayout layout(first + 4 * block, block, first);
      int64_t next = 0;
      for (int64_t i = 0; i < layout.count(); ++i) {
        const FrameSpan span = layout.block(i);
        EXPECT_EQ(span.begin, next);
        for (int64_t f = span.begin; f < span.end; ++f) EXPECT_EQ(layout.block_of(f), i);
        next = span.end;
      }
      EXPECT_EQ(next, layout.frames());
    }
}

TEST(BlockLayout, FramesThatDoNotDivideAreRefusedWithANumberThatDoes) {
  try {
    BlockLayout(20, 3);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("try 18 frames"), std::string::npos) << e.what();
  }
  EXPECT_NO_THROW(BlockLayout(19, 3, 1));
  EXPECT_THROW(BlockLayout(4, 0), Error);
  EXPECT_THROW(BlockLayout(2, 1, 3), Error);
}

TEST(PatchGrid, CountsTokensAndRefusesOddFrames) {
  const PatchGrid grid(60, 104, 2, 2);
  EXPECT_EQ(grid.tokens_per_frame(), 1560);
  EXPECT_EQ(grid.tokens({3, 6}), (TokenRange{4680, 4680}));
  EXPECT_EQ(grid.tokens({3, 6}, 3), (TokenRange{0, 4680}));
  EXPECT_THROW(PatchGrid(61, 104, 2, 2), Error);
}

TEST(Check, EvaluatesItsMessageOnlyWhereItFails) {
  int evaluated = 0;
  const auto count = [&] { return ++evaluated; };
  SGF_CHECK(true, "{}", count());
  EXPECT_EQ(evaluated, 0);
  EXPECT_THROW(SGF_CHECK(false, "{}", count()), Error);
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace sgf
