// The sizes of a VAE are read from its file, and what does not fit is named.
#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "tests/core/temporary_folder.h"
#include "tests/vae/tiny_vae.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::tiny_vae_config;

// A file with the weights of a config after `change` has had its way with them.
struct WrittenVae {
  testing::TemporaryFolder folder;

  template <class Change>
  TensorFile with(const VaeConfig& config, const Change& change, const std::string& prefix = "") const {
    std::map<std::string, at::Tensor> tensors = random_vae_weights(config, 1, at::kFloat).tensors;
    change(tensors);
    NamedTensors named;
    for (const auto& [name, tensor] : tensors) named.emplace_back(prefix + name, tensor);
    save_tensors(folder.path() / "vae.safetensors", named, {});
    return open_tensor_file(folder.path() / "vae.safetensors");
  }
};

void leave(std::map<std::string, at::Tensor>&) {}

std::string refusal_of(const TensorFile& file) {
  try {
    load_vae_weights(file, at::kFloat);
  } catch (const Error& error) {
    return error.what();
  }
  return "no refusal";
}

TEST(VaeWeights, SizesAreThoseOfTheShapes) {
  const std::vector<VaeConfig> configs{
      tiny_vae_config(),
      {.dim = 4, .z_dim = 3, .dim_mult = {1}, .num_res_blocks = 1, .temporal_downsample = {}},
      {.dim = 4, .z_dim = 2, .dim_mult = {1, 3}, .num_res_blocks = 3, .temporal_downsample = {false}},
      {.dim = 4,
       .z_dim = 16,
       .dim_mult = {2, 1, 4, 2, 1},
       .num_res_blocks = 2,
       .temporal_downsample = {false, true, false, true}},
  };
  for (const VaeConfig& config : configs)
    for (const char* prefix : {"", "w.", "first_stage_model."}) {
      const WrittenVae written;
      const TensorFile file = written.with(config, leave, prefix);
      EXPECT_EQ(vae_prefix(file), prefix);
      EXPECT_TRUE(load_vae_weights(file, at::kFloat).config == config);
    }
}

TEST(VaeWeights, TheOfficialSizesGiveTheOfficialNames) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const VaeTensorShape& shape : expected_vae_weights({})) shapes[shape.name] = shape.shape;
  EXPECT_EQ(shapes.size(), 194u);
  EXPECT_EQ(shapes.at("encoder.downsamples.5.time_conv.weight"), (std::vector<int64_t>{192, 192, 3, 1, 1}));
  EXPECT_EQ(shapes.at("decoder.upsamples.3.time_conv.weight"), (std::vector<int64_t>{768, 384, 3, 1, 1}));
  EXPECT_EQ(shapes.at("decoder.upsamples.4.shortcut.weight"), (std::vector<int64_t>{384, 192, 1, 1, 1}));
  EXPECT_EQ(shapes.at("decoder.upsamples.11.resample.1.weight"), (std::vector<int64_t>{96, 192, 3, 3}));
  EXPECT_EQ(shapes.at("encoder.head.2.weight"), (std::vector<int64_t>{32, 384, 3, 3, 3}));
}

TEST(VaeWeights, AllFaultsAreNamedAtOnce) {
  const WrittenVae written;
  const std::string said = refusal_of(written.with(tiny_vae_config(), [](std::map<std::string, at::Tensor>& w) {
    w.erase("conv2.bias");
    w.erase("decoder.middle.0.residual.6.weight");
    w["encoder.head.0.gamma"] = at::ones({5});
    w["decoder.upsamples.0.attn.weight"] = at::ones({1});
    w["optimizer.step"] = at::ones({1});  // no name of a VAE: of no concern
  }));
  for (const char* word : {"conv2.bias is missing", "decoder.middle.0.residual.6.weight is missing",
                           "encoder.head.0.gamma is [5], expected [16, 1, 1, 1]",
                           "decoder.upsamples.0.attn.weight is unexpected", "4 problems"})
    EXPECT_NE(said.find(word), std::string::npos) << word << " in: " << said;
}

TEST(VaeWeights, AFileOfSomethingElseIsRefused) {
  const testing::TemporaryFolder folder;
  save_tensors(folder.path() / "other.safetensors", {{"blocks.0.norm3.weight", at::ones({2})}}, {});
  EXPECT_NE(refusal_of(open_tensor_file(folder.path() / "other.safetensors")).find("is not a Wan VAE"),
            std::string::npos);
}

TEST(VaeWeights, RandomOnesAreAFunctionOfTheSeed) {
  const auto draw = [](uint64_t seed) { return random_vae_weights(tiny_vae_config(), seed, at::kFloat); };
  const std::string name = "decoder.conv1.weight";
  EXPECT_TRUE(at::equal(draw(1).at(name), draw(1).at(name)));
  EXPECT_FALSE(at::equal(draw(1).at(name), draw(2).at(name)));
}

}  // namespace
}  // namespace sgf
