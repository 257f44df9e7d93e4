// Networks from weight files.
#include "sgf/weights/convert.h"
#include "sgf/weights/load_dit.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

void expect_equal(const DitWeights& a, const DitWeights& b) {
  const NamedTensors theirs = named_parameters(b);
  for (size_t i = 0; const auto& [name, tensor] : named_parameters(a))
    EXPECT_TRUE(at::equal(tensor, theirs[i++].second)) << name;
}

TEST(LoadDit, ReadsBackTheNetworkThatWasSaved) {
  const TemporaryFolder folder;
  const DitConfig config = dit_preset("tiny");
  const DitWeights weights = random_dit_weights(config, 7, at::kFloat);
  save_tensors(folder / "wan.safetensors", named_parameters(weights), {});
  const CausalDit dit = load_dit(folder / "wan.safetensors", at::kFloat);
  EXPECT_EQ(dit.config(), config);
  expect_equal(dit.weights(), weights);
}

TEST(LoadDit, KnowsTheNamesOfDiffusers) {
  const TemporaryFolder folder;
  const DitWeights weights = random_dit_weights(dit_preset("tiny"), 7, at::kFloat);
  save_tensors(folder / "wan.safetensors", named_parameters(weights), {});
  convert_weights(
      {.input = folder / "wan.safetensors", .output = folder / "diffusers.pt", .names = ConvertNames::kDiffusers});
  expect_equal(load_dit(folder / "diffusers.pt", at::kFloat).weights(), weights);
}

TEST(LoadDit, TakesTheHeadsFromTheMetadata) {
  const TemporaryFolder folder;
  DitConfig config = dit_preset("tiny");
  config.num_heads = 2;
  save_tensors(folder / "wan.safetensors", named_parameters(random_dit_weights(config, 7, at::kFloat)),
               {{"config", to_json(config)}});
  EXPECT_EQ(read_dit_config(folder / "wan.safetensors").num_heads, 2);
}

TEST(LoadDit, RefusesAFileOfSomethingElse) {
  const TemporaryFolder folder;
  save_tensors(folder / "other.safetensors", {{"weight", at::zeros({2})}}, {});
  EXPECT_THAT(refusal_of([&] { load_dit(folder / "other.safetensors", at::kFloat); }), HasSubstr("other.safetensors"));
}

}  // namespace
}  // namespace sgf
