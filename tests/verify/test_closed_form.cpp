// The formulas behind recordings without weight files: known answers, and what each part of the rule changes.
#include "sgf/verify/closed_form_clip.h"
#include "sgf/verify/closed_form_weights.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

float value(const WeightRule& rule, const std::string& name, at::IntArrayRef shape, int64_t index) {
  return closed_form_weight(rule, name, shape).view({-1})[index].item<float>();
}

TEST(ClosedForm, HashesGiveTheirKnownAnswers) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(fnv1a64("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(splitmix64(fnv1a64("cls_token") + 767), 0x26f7909dd910e4f6u);
}

TEST(ClosedForm, WeightsGiveTheirKnownAnswers) {
  const WeightRule plain, amt{.salt = {}, .prefix = {}, .gains = {}, .is_amt = true};
  EXPECT_FLOAT_EQ(value(plain, "cls_token", {1, 1, 768}, 767), -0.0695569888f);
  EXPECT_FLOAT_EQ(value(plain, "blocks.0.attn.qkv.weight", {2304, 768}, 1769471), -0.0539487153f);
  EXPECT_FLOAT_EQ(value(plain, "cnet.norm1.running_var", {64}, 0), 1.14737523f);
  EXPECT_FLOAT_EQ(value(amt, "encoder.pyramid1.0.1.weight", {20}, 0), 0.158640712f);
  EXPECT_FLOAT_EQ(value(amt, "decoder4.convblock.2.weight", {112, 48, 4, 4}, 0), 0.0341460221f);
}

TEST(ClosedForm, SaltPrefixAndGainEachChangeAWeight) {
  const WeightRule plain, salted{.salt = "b:", .prefix = {}, .gains = {}},
      prefixed{.salt = {}, .prefix = "dino:", .gains = {}},
      stronger{.salt = {}, .prefix = {}, .gains = {{"norm.weight", 3.0}}};
  const float weight = value(plain, "norm.weight", {8}, 3);
  EXPECT_NE(value(salted, "norm.weight", {8}, 3), weight);
  EXPECT_NE(value(prefixed, "norm.weight", {8}, 3), weight);
  EXPECT_FLOAT_EQ(value(stronger, "norm.weight", {8}, 3), 3 * weight);
  EXPECT_EQ(value(stronger, "norm.bias", {8}, 3), value(plain, "norm.bias", {8}, 3));
}

TEST(ClosedForm, AClipIsFoundBySalt) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const char* name, const char* kind, const char* salt) {
    save_tensors(folder.path() / name, {{"out.x", at::ones({1})}}, {{"kind", kind}, {"salt", salt}});
    return Recording::open(folder.path() / name);
  };
  const Recording other = write("preprocess_b.safetensors", "\"vbench_preprocess\"", "\"b:\"");
  write("clip_a.safetensors", "\"clip\"", "\"\"");
  EXPECT_THAT(refusal_of([&] { clips_beside(other); }), ::testing::HasSubstr("needs a recording of kind `clip`"));
  write("clip_b.safetensors", "\"clip\"", "\"b:\"");
  EXPECT_EQ(clips_beside(other).path().filename(), "clip_b.safetensors");
}

}  // namespace
}  // namespace sgf
