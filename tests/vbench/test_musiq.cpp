// MUSIQ besides what recordings hold: batches, thin pictures, the published file.
#include "sgf/vbench/musiq.h"

#include "tests/core/temporary_folder.h"
#include "tests/vbench/network_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::refusal;
using testing::some_pictures;
using testing::TemporaryFolder;
using testing::weights_taken_by;
using testing::write_network_file;

Musiq small_musiq() {
  const WeightRule rule{.salt = {}, .prefix = {}, .gains = {{"head.weight", 20}}};
  return Musiq(closed_form_weights(rule, at::kDouble),
               {.hidden_size = 48, .mlp_dim = 80, .num_heads = 6, .num_layers = 2});
}

TEST(Musiq, PicturesScoredTogetherAreThoseScoredAlone) {
  const Musiq musiq = small_musiq();
  const at::Tensor pictures = some_pictures(5, 64, 96, 1), together = musiq.scores(pictures);
  ASSERT_EQ(together.sizes(), at::IntArrayRef({5}));
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_NEAR(musiq.scores(pictures.narrow(0, i, 1)).item<double>(), together[i].item<double>(), 1e-10);
  EXPECT_GT(together.std().item<double>(), 1e-6);
}

TEST(Musiq, APictureIsReadAtThreeSizes) {
  const MusiqPatches wide = small_musiq().patches(some_pictures(1, 480, 832, 2));  // 295x512
  EXPECT_THAT(wide.counts, ElementsAre(5 * 7, 7 * 12, 10 * 16));
  EXPECT_EQ(wide.patches.sizes(), at::IntArrayRef({1, 279, 3, 32, 32}));
  EXPECT_LE(wide.patches.narrow(1, 119, 160).abs().max().item<double>(), 1);
  const MusiqPatches high = small_musiq().patches(some_pictures(1, 96, 64, 3));  // enlarged at the smaller sizes
  EXPECT_THAT(high.counts, ElementsAre(7 * 5, 12 * 8, 3 * 2));
}

TEST(Musiq, PlacesAreHashedToAGridOfTen) {
  EXPECT_EQ(musiq_place(4, 5, 10), 8);
  EXPECT_EQ(musiq_place(15, 16, 10), 9);
  EXPECT_EQ(musiq_place(0, 1, 10), 0);
}

TEST(Musiq, APictureThatVanishesIsRefused) {
  const Musiq musiq = small_musiq();
  EXPECT_THAT(refusal([&] { musiq.scores(some_pictures(1, 1, 460, 4)); }), HasSubstr("thin"));
  EXPECT_THAT(refusal([&] { musiq.scores(some_pictures(1, 64, 64, 5).to(at::kFloat)); }),
              HasSubstr("bytes [N, H, W, 3]"));
  EXPECT_NO_THROW(musiq.scores(some_pictures(1, 8, 460, 4)));
}

TEST(Musiq, APublishedFileGivesTheWeightsOfItsNames) {
  const TemporaryFolder folder;
  const at::Tensor picture = some_pictures(1, 64, 96, 6);
  const double expected = Musiq(closed_form_weights({}, at::kFloat)).scores(picture).item<double>();
  for (const char* prefix : {"", "params."}) {
    write_network_file(folder / "musiq_spaq_ckpt-358bb6af.pth", weights_taken_by<Musiq>({}), prefix);
    const Musiq loaded = load_musiq(folder / "musiq_spaq_ckpt-358bb6af.pth", at::kFloat);
    EXPECT_EQ(loaded.scores(picture).item<double>(), expected) << prefix;
  }
}

}  // namespace
}  // namespace sgf
