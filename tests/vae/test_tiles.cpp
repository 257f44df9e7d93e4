// Tiles: how pictures are cut, that blending gives back what it was given, and what the seams cost.
#include "sgf/core/error.h"
#include "sgf/vae/tiled_streams.h"
#include "tests/vae/tiny_vae.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace sgf {
namespace {

using testing::in_pieces;
using testing::largest_difference;
using testing::test_normal;
using testing::test_video;
using testing::tiny_codec;

WanVaeCodec tiled_codec(int64_t side, int64_t overlap) {
  return tiny_codec({.tiles = {.side = side, .overlap = overlap}});
}

double relative(const at::Tensor& ours, const at::Tensor& exact) {
  return ((ours - exact).norm() / exact.norm()).item<double>();
}

TEST(TilePlan, SpansCoverEverythingAndShareTheOverlap) {
  for (const int64_t length : {1, 7, 8, 9, 60, 104})
    for (const int64_t overlap : {0, 2, 7}) {
      const auto spans = tile_spans(length, {.side = 8, .overlap = overlap});
      EXPECT_EQ(spans.front().begin, 0);
      EXPECT_EQ(spans.back().end, length);
      for (size_t i = 1; i < spans.size(); ++i) EXPECT_GE(spans[i - 1].end - spans[i].begin, overlap);
      for (const TileSpan& span : spans) EXPECT_EQ(span.length(), std::min<int64_t>(8, length));
    }
  EXPECT_EQ(tile_spans(60, {}).size(), 1u);
  EXPECT_THROW((TileSettings{.side = 4, .overlap = 4}).validate(), Error);
  EXPECT_THROW(tiles_of_pixels(100, 8), Error);
  EXPECT_EQ(tiles_of_pixels(256, 8).overlap, 8);
}

TEST(TileGrid, BlendingTheTilesOfAPictureGivesThePicture) {
  const at::Tensor picture = test_normal({1, 2, 3, 26, 38});
  const TileGrid grid(13, 19, {.side = 8, .overlap = 3}, 2);
  std::vector<at::Tensor> parts;
  for (size_t i = 0; i < grid.count(); ++i) parts.push_back(grid.part(picture, i, 2));
  EXPECT_GT(parts.size(), 4u);
  EXPECT_LT(largest_difference(grid.blend(parts), picture), 1e-14);
}

TEST(TiledVae, OneTileForAllIsNoTileAtAll) {
  const at::Tensor latents = test_normal({1, 3, 4, 4, 6}), video = test_video({1, 5, 3, 16, 24});
  EXPECT_TRUE(at::equal(tiled_codec(8, 2).decode(latents), tiny_codec().decode(latents)));
  EXPECT_TRUE(at::equal(tiled_codec(8, 2).encode(video), tiny_codec().encode(video)));
}

// The numbers stand in tiled_streams.h; the bounds leave them some room.
TEST(TiledVae, SeamsCostLittleAndLessWithMoreOverlap) {
  const at::Tensor latents = test_normal({1, 2, 4, 24, 24}), video = test_video({1, 5, 3, 96, 96});
  const at::Tensor pictures = tiny_codec().decode(latents), exact = tiny_codec().encode(video);
  const double wide = relative(tiled_codec(16, 8).decode(latents), pictures);
  const double narrow = relative(tiled_codec(16, 1).decode(latents), pictures);
  const double encoded = relative(tiled_codec(16, 8).encode(video), exact);
  std::printf("seam error, relative L2: decode %.4f (overlap 8 of 16), %.4f (1 of 16); encode %.4f (8 of 16)\n", wide,
              narrow, encoded);
  EXPECT_LT(wide, narrow);
  EXPECT_GT(wide, 0);
  EXPECT_LT(wide, 0.1);
  EXPECT_LT(encoded, 0.1);
}

TEST(TiledVae, PiecesAndARestoredStreamGiveTheSamePixels) {
  const WanVaeCodec codec = tiled_codec(4, 1);
  const at::Tensor latents = test_normal({1, 4, 4, 5, 7}), whole = codec.decode(latents);
  const auto stream = codec.stream_decoder(), other = codec.stream_decoder();
  const at::Tensor first = stream->next(latents.narrow(1, 0, 2));
  other->restore(stream->state());
  const at::Tensor rest = latents.narrow(1, 2, 2);
  EXPECT_TRUE(at::equal(at::cat({first, other->next(rest)}, 1), whole));
  const at::Tensor video = test_video({1, 9, 3, 20, 28});
  EXPECT_TRUE(at::equal(in_pieces(*codec.stream_encoder(), video, {2, 7}), codec.encode(video)));
  EXPECT_THROW(stream->next(latents.narrow(3, 0, 4)), Error);
  EXPECT_THROW(tiled_codec(3, 1).stream_decoder()->restore({{"latents", at::zeros({1}, at::kLong)}}), Error);
}

}  // namespace
}  // namespace sgf
