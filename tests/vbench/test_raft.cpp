// RAFT besides what recordings hold: batches, sequences in pieces, doors, published files.
#include "sgf/vbench/raft.h"

#include "sgf/vbench/network_files.h"
#include "sgf/vbench/picture_padding.h"
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

// Small steps and few, so that tests are quick.
Raft small_raft(at::TensorOptions options = at::kFloat, RaftSettings settings = {.iterations = 2}) {
  const WeightRule rule{.salt = {}, .prefix = {}, .gains = {{"update_block.flow_head.conv2.weight", 0.2}}};
  return Raft(closed_form_weights(rule, options), settings);
}

bool same(const at::Tensor& a, const at::Tensor& b) { return at::allclose(a, b, 1e-4, 1e-4); }

TEST(Raft, ASequenceGivesTheFlowsOfItsPairs) {
  const Raft raft = small_raft();
  const at::Tensor pictures = some_pictures(4, 128, 136, 1);
  const at::Tensor flows = raft.flows_of_sequence(pictures);
  ASSERT_EQ(flows.sizes(), at::IntArrayRef({3, 2, 128, 136}));
  EXPECT_TRUE(same(flows, raft.flow(pictures.narrow(0, 0, 3), pictures.narrow(0, 1, 3))));
  EXPECT_FALSE(same(flows[0], flows[1]));
}

TEST(Raft, PiecesOfASequenceGiveTheFlowsOfTheWhole) {
  const Raft raft = small_raft();
  const at::Tensor pictures = some_pictures(4, 128, 136, 2);
  FlowSequence sequence(raft);
  const at::Tensor none = sequence.next(pictures.narrow(0, 0, 1));
  EXPECT_EQ(none.sizes(), at::IntArrayRef({0, 2, 128, 136}));
  const at::Tensor one = sequence.next(pictures.narrow(0, 1, 1)), two = sequence.next(pictures.narrow(0, 2, 2));
  EXPECT_TRUE(same(at::cat({none, one, two}), raft.flows_of_sequence(pictures)));
  EXPECT_THAT(refusal([&] { sequence.next(some_pictures(1, 136, 136, 3)); }), HasSubstr("the same size"));
}

TEST(Raft, PairsComputedTogetherAreThoseComputedAlone) {
  const at::Tensor pictures = some_pictures(4, 128, 136, 4);
  const Raft alone = small_raft(), together = small_raft(at::kFloat, {.iterations = 2, .pairs_per_pass = 3});
  EXPECT_TRUE(same(alone.flows_of_sequence(pictures), together.flows_of_sequence(pictures)));
}

TEST(Raft, MoreIterationsGiveAnotherFlow) {
  const at::Tensor pictures = some_pictures(2, 128, 136, 5);
  EXPECT_FALSE(same(small_raft().flows_of_sequence(pictures),
                    small_raft(at::kFloat, {.iterations = 3}).flows_of_sequence(pictures)));
  EXPECT_THAT(refusal([] { small_raft(at::kFloat, {.iterations = 0}); }), HasSubstr("at least 1 iteration"));
}

TEST(Raft, PicturesTooSmallForThePyramidAreRefused) {
  const Raft raft = small_raft(at::kFloat, {.iterations = 1});
  const auto flow_of = [&](int64_t height, int64_t width) {
    return raft.flow(some_pictures(1, height, width, 6), some_pictures(1, height, width, 7));
  };
  EXPECT_THAT(refusal([&] { flow_of(120, 300); }), HasSubstr("at least 128 pixels per side, got 120x300"));
  EXPECT_THAT(refusal([&] { flow_of(300, 120); }), HasSubstr("got 300x120"));
  const at::Tensor flow = flow_of(121, 133);  // padded to 128x136
  EXPECT_EQ(flow.sizes(), at::IntArrayRef({1, 2, 128, 136}));
  EXPECT_TRUE(at::isfinite(flow).all().item<bool>());
}

TEST(Raft, WhatIsNoPictureIsRefused) {
  const Raft raft = small_raft(at::kFloat, {.iterations = 1});
  const at::Tensor good = some_pictures(1, 128, 128, 8);
  EXPECT_THAT(refusal([&] { raft.flow(good.to(at::kFloat), good.to(at::kFloat)); }), HasSubstr("bytes [N, H, W, 3]"));
  EXPECT_THAT(refusal([&] { raft.flow(good, good.narrow(2, 0, 120)); }), HasSubstr("the same number and size"));
  EXPECT_THAT(refusal([&] { raft.flows_of_sequence(good.narrow(0, 0, 0)); }), HasSubstr("bytes [N, H, W, 3]"));
}

TEST(Raft, SixteenBitsAreRefused) {
  EXPECT_THAT(refusal([] { small_raft(at::kBFloat16); }), HasSubstr("float32 or float64, got bfloat16"));
}

// As published: behind "module.", the shortcut's norm twice, and counters that nobody needs.
NamedTensors published_raft() {
  NamedTensors tensors = weights_taken_by<Raft>({});
  for (size_t i = 0, count = tensors.size(); i < count; ++i) {
    const auto [name, tensor] = tensors[i];
    const size_t norm = name.find("norm3");
    if (norm != std::string::npos)
      tensors.emplace_back(name.substr(0, norm) + "downsample.1" + name.substr(norm + 5), tensor);
  }
  tensors.emplace_back("cnet.norm1.num_batches_tracked", at::ones({1}));
  return tensors;
}

TEST(Raft, APublishedFileGivesTheWeightsOfItsNames) {
  const TemporaryFolder folder;
  write_network_file(folder / "raft-things.pth", published_raft(), "module.");
  const at::Tensor pictures = some_pictures(2, 128, 136, 9);
  const RaftSettings settings{.iterations = 1};
  const at::Tensor expected = Raft(closed_form_weights({}, at::kFloat), settings).flows_of_sequence(pictures);
  EXPECT_GT(expected.abs().max().item<double>(), 1e-3);
  const Raft loaded = load_raft(folder / "raft-things.pth", at::kFloat, settings);
  EXPECT_TRUE(at::equal(loaded.flows_of_sequence(pictures), expected));
  const WeightRule other{.salt = "b:", .prefix = {}, .gains = {}};
  EXPECT_FALSE(at::equal(Raft(closed_form_weights(other, at::kFloat), settings).flows_of_sequence(pictures), expected));
}

TEST(Raft, AFileThatLacksAWeightIsRefusedByItsName) {
  const TemporaryFolder folder;
  NamedTensors tensors = published_raft();
  std::erase_if(tensors, [](const auto& named) { return named.first == "update_block.gru.convq2.bias"; });
  write_network_file(folder / "cut.pth", tensors, "module.");
  const std::string said = refusal([&] { load_raft(folder / "cut.pth", at::kFloat); });
  EXPECT_THAT(said, HasSubstr("is not a complete RAFT (1 problems): update_block.gru.convq2.bias is missing"));
}

TEST(FlowScores, AreTheMeanOfTheLargestShare) {
  const at::Tensor x = at::arange(100, at::kDouble).view({1, 1, 10, 10}), flow = at::cat({x * 0.6, x * -0.8}, 1);
  EXPECT_NEAR(flow_scores(flow, kDynamicShare)[0].item<double>(), 97, 1e-12);
  EXPECT_NEAR(flow_scores(flow, kStaticShare)[0].item<double>(), 98.5, 1e-12);
  EXPECT_THAT(refusal([&] { flow_scores(flow.narrow(2, 0, 1), kStaticShare); }), HasSubstr("too few"));
}

TEST(PicturePadding, RepeatsTheBorderAndTakesTheLargerHalfBehind) {
  const PicturePadding padding(13, 8, 8);
  const at::Tensor x = at::arange(13 * 8, at::kFloat).view({1, 1, 13, 8}), padded = padding.pad(x);
  ASSERT_EQ(padded.sizes(), at::IntArrayRef({1, 1, 16, 8}));
  EXPECT_TRUE(at::equal(padded[0][0][0], x[0][0][0]));
  EXPECT_TRUE(at::equal(padded[0][0][1], x[0][0][0]));
  EXPECT_TRUE(at::equal(padded[0][0][15], x[0][0][12]));
  EXPECT_TRUE(at::equal(padding.unpad(padded), x));
}

TEST(NetworkFiles, PrefixesAreFoundByAName) {
  const TemporaryFolder folder;
  const auto prefix_in = [&](const NamedTensors& tensors, const std::string& before) {
    write_network_file(folder / "some.pth", tensors, before);
    return prefix_before(open_tensor_file(folder / "some.pth"), "conv_root.weight");
  };
  const at::Tensor one = at::ones({1});
  EXPECT_EQ(prefix_in({{"conv_root.weight", one}}, ""), "");
  EXPECT_EQ(prefix_in({{"conv_root.weight", one}}, "state_dict.module."), "state_dict.module.");
  EXPECT_EQ(prefix_in({{"params_ema.conv_root.weight", one}, {"params.conv_root.weight", one}}, ""), "params.");
  EXPECT_EQ(prefix_in({{"other_conv_root.weight", one}}, ""), "");  // the end of a word is no name
}

}  // namespace
}  // namespace sgf
