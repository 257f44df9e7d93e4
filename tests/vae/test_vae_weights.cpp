// The sizes of a VAE are read from its file, and what does not fit is named.
#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/vae/vae_names.h"
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
      EXPECT_EQ(find_vae(file)->prefix, prefix);
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

// The name in AutoencoderKLWan, by the stages that a config has.
std::string diffusers_vae_name(std::string name, const VaeConfig& config) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    if (const size_t at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
  };
  if (name.starts_with("conv1.")) return "quant_conv." + name.substr(6);
  if (name.starts_with("conv2.")) return "post_quant_conv." + name.substr(6);
  replace("coder.conv1.", "coder.conv_in.");
  replace("head.0.", "norm_out.");
  replace("head.2.", "conv_out.");
  replace("middle.0.", "mid_block.resnets.0.");
  replace("middle.1.", "mid_block.attentions.0.");
  replace("middle.2.", "mid_block.resnets.1.");
  replace("residual.0.", "norm1.");
  replace("residual.2.", "conv1.");
  replace("residual.3.", "norm2.");
  replace("residual.6.", "conv2.");
  replace("shortcut.", "conv_shortcut.");
  replace("downsamples.", "down_blocks.");
  if (const std::string ups = "decoder.upsamples."; name.starts_with(ups)) {
    const int64_t layer = std::stoll(name.substr(ups.size())), per_stage = config.num_res_blocks + 2;
    const int64_t stage = layer / per_stage, place = layer % per_stage;
    const std::string rest = name.substr(name.find('.', ups.size()));
    const bool is_block = place < config.num_res_blocks + 1;
    name = "decoder.up_blocks." + std::to_string(stage) +
           (is_block ? ".resnets." + std::to_string(place) : std::string(".upsamplers.0")) + rest;
  }
  return name;
}

TEST(VaeWeights, OfDiffusersAreTheSameNetwork) {
  for (const VaeConfig& config : {tiny_vae_config(), VaeConfig{.dim = 4,
                                                     .z_dim = 16,
                                                     .dim_mult = {1, 2, 4, 4},
                                                     .num_res_blocks = 2,
                                                     .temporal_downsample = {false, true, true}}})
    for (const char* prefix : {"", "vae."}) {
      const WrittenVae written;
      const TensorFile file = written.with(
          config,
          [&](std::map<std::string, at::Tensor>& weights) {
            std::map<std::string, at::Tensor> renamed;
            for (const auto& [name, tensor] : weights) renamed[diffusers_vae_name(name, config)] = tensor;
            weights = renamed;
          },
          prefix);
      EXPECT_EQ(find_vae(file)->naming, "diffusers");
      const VaeWeights found = load_vae_weights(file, at::kFloat);
      EXPECT_TRUE(found.config == config);
      const VaeWeights expected = random_vae_weights(config, 1, at::kFloat);
      for (const auto& [name, tensor] : expected.tensors) EXPECT_TRUE(at::equal(found.at(name), tensor)) << name;
      // Equal weights make equal pictures, and so does the whole codec.
      const at::Tensor latents = testing::test_normal({1, 2, config.z_dim, 2, 2}, 0, at::kFloat);
      EXPECT_TRUE(at::equal(WanVaeCodec(found).decode(latents), WanVaeCodec(expected).decode(latents)));
    }
}

// From diffusers' conversion script.
TEST(VaeWeights, TheNamesOfDiffusersAreThoseOfItsReleasedFile) {
  const DiffusersVaeNames names(
      {"decoder.up_blocks.0.resnets.0.norm1.gamma", "decoder.up_blocks.0.resnets.2.conv1.bias"});
  const std::map<std::string, std::string> official{
      {"decoder.up_blocks.1.resnets.0.conv_shortcut.weight", "decoder.upsamples.4.shortcut.weight"},
      {"decoder.up_blocks.3.resnets.2.conv2.bias", "decoder.upsamples.14.residual.6.bias"},
      {"decoder.up_blocks.2.upsamplers.0.resample.1.weight", "decoder.upsamples.11.resample.1.weight"},
      {"decoder.up_blocks.0.upsamplers.0.time_conv.bias", "decoder.upsamples.3.time_conv.bias"},
      {"encoder.down_blocks.5.time_conv.weight", "encoder.downsamples.5.time_conv.weight"},
      {"encoder.down_blocks.3.conv_shortcut.bias", "encoder.downsamples.3.shortcut.bias"},
      {"encoder.mid_block.resnets.1.norm2.gamma", "encoder.middle.2.residual.3.gamma"},
      {"decoder.mid_block.attentions.0.to_qkv.weight", "decoder.middle.1.to_qkv.weight"},
      {"decoder.norm_out.gamma", "decoder.head.0.gamma"},
      {"post_quant_conv.bias", "conv2.bias"},
      {"encoder.unheard_of.weight", "encoder.unheard_of.weight"}};
  for (const auto& [theirs, ours] : official) EXPECT_EQ(names.official(theirs), ours);
}

TEST(VaeWeights, TheVaeOfWan22IsRefusedByName) {
  const WrittenVae written;
  const std::string said = refusal_of(written.with(tiny_vae_config(), [](std::map<std::string, at::Tensor>& w) {
    w["encoder.downsamples.0.downsamples.0.residual.0.gamma"] = at::ones({8, 1, 1, 1});
  }));
  EXPECT_NE(said.find("Wan2.2"), std::string::npos) << said;
}

TEST(VaeWeights, RandomOnesAreAFunctionOfTheSeed) {
  const auto draw = [](uint64_t seed) { return random_vae_weights(tiny_vae_config(), seed, at::kFloat); };
  const std::string name = "decoder.conv1.weight";
  EXPECT_TRUE(at::equal(draw(1).at(name), draw(1).at(name)));
  EXPECT_FALSE(at::equal(draw(1).at(name), draw(2).at(name)));
}

}  // namespace
}  // namespace sgf
