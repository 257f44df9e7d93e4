// AMT-S besides what recordings hold: batches, doors, the published file.
#include "sgf/vbench/amt.h"

#include "tests/core/temporary_folder.h"
#include "tests/vbench/network_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::refusal;
using testing::some_pictures;
using testing::TemporaryFolder;
using testing::weights_taken_by;
using testing::write_network_file;

Amt some_amt(at::TensorOptions options = at::kFloat, AmtSettings settings = {}) {
  const WeightRule rule{.salt = {},
                        .prefix = {},
                        .gains = {{"comb_block.2.weight", 0.3}, {"decoder1.convblock.2.weight", 0.3}},
                        .is_amt = true};
  return Amt(closed_form_weights(rule, options), settings);
}

TEST(Amt, FramesInBetweenHaveTheSizeOfThePicturesAndLieInTheirRange) {
  const at::Tensor frame = some_amt(at::kFloat).between(some_pictures(1, 130, 141, 1), some_pictures(1, 130, 141, 2));
  EXPECT_EQ(frame.sizes(), at::IntArrayRef({1, 3, 130, 141}));
  EXPECT_GE(frame.min().item<double>(), 0);
  EXPECT_LE(frame.max().item<double>(), 1);
  EXPECT_GT(frame.std().item<double>(), 0.01);
}

TEST(Amt, PairsComputedTogetherAreThoseComputedAlone) {
  const at::Tensor pictures = some_pictures(4, 128, 144, 3);
  const at::Tensor first = pictures.narrow(0, 0, 3), second = pictures.narrow(0, 1, 3);
  const at::Tensor alone = some_amt().between(first, second);
  EXPECT_TRUE(at::allclose(alone, some_amt(at::kFloat, {.pairs_per_pass = 3}).between(first, second), 1e-4, 1e-4));
  EXPECT_FALSE(at::allclose(alone[0], alone[1], 1e-3, 1e-3));
}

TEST(Amt, WhatItCanNotReadIsRefused) {
  const Amt amt = some_amt(at::kFloat);
  const at::Tensor good = some_pictures(1, 128, 128, 4), small = some_pictures(1, 112, 300, 5);
  EXPECT_THAT(refusal([&] { amt.between(small, small); }), HasSubstr("at least 128 pixels per side, got 112x300"));
  EXPECT_THAT(refusal([&] { amt.between(good, small); }), HasSubstr("the same number and size"));
  EXPECT_THAT(refusal([&] { amt.between(good.to(at::kFloat), good.to(at::kFloat)); }), HasSubstr("bytes [N, H, W, 3]"));
  EXPECT_THAT(refusal([] { some_amt(at::kHalf); }), HasSubstr("float32 or float64, got float16"));
}

TEST(Amt, APublishedFileGivesTheWeightsOfItsNames) {
  const TemporaryFolder folder;
  const WeightRule rule{.salt = {}, .prefix = {}, .gains = {}, .is_amt = true};
  write_network_file(folder / "amt-s.pth", weights_taken_by<Amt>(rule), "state_dict.");
  const at::Tensor first = some_pictures(1, 128, 128, 6), second = some_pictures(1, 128, 128, 7);
  const at::Tensor expected = Amt(closed_form_weights(rule, at::kFloat)).between(first, second);
  EXPECT_TRUE(at::equal(load_amt(folder / "amt-s.pth", at::kFloat).between(first, second), expected));
  WeightRule other = rule;
  other.salt = "b:";
  EXPECT_FALSE(at::equal(Amt(closed_form_weights(other, at::kFloat)).between(first, second), expected));
}

}  // namespace
}  // namespace sgf
