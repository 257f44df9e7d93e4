// One LoRA, spelled as every program spells it, makes the same merged weights: those of the product computed by hand.
#include "sgf/weights/merge_lora.h"

#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/notice.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/weights/convert.h"
#include "sgf/weights/load_dit.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

constexpr int64_t kRank = 3;
constexpr double kAlpha = 6;

at::Tensor drawn(at::IntArrayRef shape, int64_t sample) {
  return normal({.seed = 9, .purpose = NoisePurpose::kTest, .sample = sample}, shape, at::TensorOptions(at::kFloat));
}

// A LoRA of the tiny network: every linear layer of its blocks, A and B by official module.
std::map<std::string, std::pair<at::Tensor, at::Tensor>> tiny_lora() {
  std::map<std::string, std::pair<at::Tensor, at::Tensor>> lora;
  int64_t sample = 0;
  for (const WeightShape& weight : expected_dit_weights(dit_preset("tiny"))) {
    if (!weight.name.starts_with("blocks.") || weight.shape.size() != 2) continue;
    lora[weight.name.substr(0, weight.name.size() - 7)] = {drawn({kRank, weight.shape[1]}, sample),
                                                           drawn({weight.shape[0], kRank}, sample + 1)};
    sample += 2;
  }
  return lora;
}

std::string diffusers_module(const std::string& module) {
  const std::string name = diffusers_name(module + ".weight");
  return name.substr(0, name.size() - 7);
}

std::string underscored(std::string module) {
  std::ranges::replace(module, '.', '_');
  return module;
}

class MergeLora : public ::testing::Test {
 protected:
  using Spell = std::function<std::string(const std::string& module)>;

  MergeLora() {
    save_base(base_);
    forget_notices();
  }

  void save_base(const DitWeights& weights) { save_tensors(base_file(), named_parameters(weights), {}); }
  std::filesystem::path base_file() const { return folder_ / "base.safetensors"; }

  // The tiny LoRA under these names; `alpha` adds a tensor of alpha per module.
  std::filesystem::path save_lora(const std::string& name, const Spell& spell, const std::string& down,
                                  const std::string& up, bool alpha,
                                  const std::map<std::string, std::string>& metadata = {}) const {
    NamedTensors tensors;
    for (const auto& [module, pair] : tiny_lora()) {
      tensors.emplace_back(spell(module) + down, pair.first);
      tensors.emplace_back(spell(module) + up, pair.second);
      if (alpha) tensors.emplace_back(spell(module) + ".alpha", at::tensor(kAlpha, at::kFloat));
    }
    save_tensors(folder_ / name, tensors, metadata);
    return folder_ / name;
  }
  std::filesystem::path comfy_lora() const {
    return save_lora(
        "comfy.safetensors", [](const std::string& module) { return "diffusion_model." + module; }, ".lora_down.weight",
        ".lora_up.weight", true);
  }

  TensorFile merged(const std::vector<LoraUse>& loras, std::optional<DType> dtype = std::nullopt) const {
    convert_weights({.input = base_file(),
                     .output = folder_ / "merged.safetensors",
                     .dtype = dtype,
                     .overwrite = true,
                     .loras = loras});
    return open_tensor_file(folder_ / "merged.safetensors");
  }

  const DitWeights base_ = random_dit_weights(dit_preset("tiny"), 7, at::kFloat);
  TemporaryFolder folder_;
};

void expect_equal_bits(const TensorFile& a, const TensorFile& b, const std::string& what) {
  ASSERT_EQ(a.entries.size(), b.entries.size()) << what;
  for (const TensorEntry& entry : a.entries)
    EXPECT_TRUE(std::ranges::equal(a.bytes(entry), b.bytes(*b.find(entry.name)))) << what << ": " << entry.name;
}

TEST_F(MergeLora, AddsTheProductComputedByHand) {
  const TensorFile file = merged({{comfy_lora(), 0.5}});
  const auto lora = tiny_lora();
  for (const auto& [name, tensor] : named_parameters(base_)) {
    const at::Tensor found = map_tensor(file, name);
    const auto pair = lora.find(name.ends_with(".weight") ? name.substr(0, name.size() - 7) : name);
    if (pair == lora.end()) {
      EXPECT_TRUE(at::equal(found, tensor)) << name;
      continue;
    }
    const auto [down, up] = pair->second;
    const std::vector<std::pair<int64_t, int64_t>> places{{0, 0}, {5, 7}, {tensor.size(0) - 1, tensor.size(1) - 1}};
    for (const auto& [row, column] : places) {
      double sum = 0;
      for (int64_t r = 0; r < kRank; ++r) sum += up[row][r].item<double>() * down[r][column].item<double>();
      const double by_hand = tensor[row][column].item<double>() + 0.5 * (kAlpha / kRank) * sum;
      EXPECT_EQ(found[row][column].item<float>(), static_cast<float>(by_hand)) << name;
    }
  }
}

TEST_F(MergeLora, EverySpellingMakesTheSameBits) {
  const TensorFile expected = merged({{comfy_lora()}});
  const std::filesystem::path copy = folder_ / "expected.safetensors";
  std::filesystem::copy_file(folder_ / "merged.safetensors", copy);
  const TensorFile first = open_tensor_file(copy);

  for (const char* folder : {"peft", "longlive"}) {
    std::filesystem::create_directory(folder_ / folder);
    std::ofstream(folder_ / folder / "adapter_config.json") << R"({"peft_type": "LORA", "r": 3, "lora_alpha": 6})";
  }
  const auto peft = [](const std::string& module) { return "base_model.model." + module; };
  const auto longlive = [&](const std::string& module) { return "generator_lora." + peft(module); };
  const auto diffusers = [](const std::string& module) { return "transformer." + diffusers_module(module); };
  const auto kohya = [](const std::string& module) { return "lora_unet_" + underscored(module); };
  save_lora("peft/adapter_model.safetensors", peft, ".lora_A.weight", ".lora_B.weight", false);
  for (const std::filesystem::path& file :
       {folder_ / "peft",
        save_lora("longlive/adapter_model.safetensors", longlive, ".lora_A.default.weight", ".lora_B.default.weight",
                  false),
        save_lora("diffusers.safetensors", diffusers, ".lora_A.weight", ".lora_B.weight", false,
                  {{"lora_adapter_metadata", R"({"transformer.r": 3, "transformer.lora_alpha": 6})"}}),
        save_lora("trained.safetensors", diffusers, ".lora.down.weight", ".lora.up.weight", true),
        save_lora("kohya.safetensors", kohya, ".lora_down.weight", ".lora_up.weight", true)})
    expect_equal_bits(merged({{file}}), first, file.string());
  EXPECT_FALSE(at::equal(map_tensor(first, "blocks.0.ffn.0.weight"), base_.blocks[0].ffn_in.weight)) << "the control";
}

TEST_F(MergeLora, AScaleOfZeroIsTheBaseBitForBit) {
  NamedTensors tensors = named_parameters(base_);
  tensors[0].second.view(-1)[0] = -0.0;
  for (auto& [name, tensor] : tensors) tensor = tensor.to(at::kBFloat16);
  save_tensors(base_file(), tensors, {});
  expect_equal_bits(merged({{comfy_lora(), 0}}), open_tensor_file(base_file()), "scale 0");
  EXPECT_EQ(merged({{comfy_lora()}}).find("blocks.0.ffn.0.weight")->dtype, DType::kBF16);
}

TEST_F(MergeLora, IsRoundedOnceToTheTypeOfTheResult) {
  NamedTensors tensors = named_parameters(base_);
  for (auto& [name, tensor] : tensors) tensor = tensor.to(at::kBFloat16);
  save_tensors(base_file(), tensors, {});
  const std::string name = "blocks.2.cross_attn.k.weight";
  const at::Tensor wide = map_tensor(merged({{comfy_lora()}}, DType::kF32), name).clone();
  const at::Tensor narrow = map_tensor(merged({{comfy_lora()}}), name).clone();
  EXPECT_TRUE(at::equal(wide.to(at::kBFloat16), narrow));
  EXPECT_FALSE(at::equal(wide, narrow.to(at::kFloat)));
}

TEST_F(MergeLora, SeveralAddUpAndTheirOppositeTakesThemBack) {
  const std::filesystem::path lora = comfy_lora();
  expect_equal_bits(
      merged({{lora, 0.25}, {lora, 0.75}}),
      [&] {
        merged({{lora, 1}});
        std::filesystem::copy_file(folder_ / "merged.safetensors", folder_ / "whole.safetensors");
        return open_tensor_file(folder_ / "whole.safetensors");
      }(),
      "quarters");
  expect_equal_bits(merged({{lora, 1}, {lora, -1}}), open_tensor_file(base_file()), "opposites");
}

TEST_F(MergeLora, BiasesAndDifferencesAreAdded) {
  const at::Tensor diff = drawn({96}, 90), bias = drawn({96}, 91);
  save_tensors(folder_ / "diff.safetensors",
               {{"diffusion_model.blocks.0.norm3.diff", diff},
                {"diffusion_model.blocks.0.self_attn.q.diff_b", bias},
                {"diffusion_model.blocks.0.self_attn.q.lora_A.weight", drawn({kRank, 96}, 92)},
                {"diffusion_model.blocks.0.self_attn.q.lora_B.weight", drawn({96, kRank}, 93)}},
               {});
  const TensorFile file = merged({{folder_ / "diff.safetensors", 2}});
  const TensorFile before = open_tensor_file(base_file());
  for (const auto& [name, change] :
       NamedTensors{{"blocks.0.norm3.weight", diff}, {"blocks.0.self_attn.q.bias", bias}}) {
    const at::Tensor expected = (map_tensor(before, name).to(at::kDouble) + 2 * change.to(at::kDouble)).to(at::kFloat);
    EXPECT_TRUE(at::equal(map_tensor(file, name), expected)) << name;
  }
}

TEST_F(MergeLora, LoadingWithALoraIsLoadingTheConvertedFile) {
  Config config = load_config("world-tiny", {}, {SGF_PRESETS});
  config.model = dit_preset("tiny");
  const LoraUse lora{comfy_lora(), 0.5};
  merged({lora});
  const DitWeights at_once = read_start_weights(base_file(), config.model, at::kDouble, {.loras = {lora}});
  const DitWeights converted = read_start_weights(folder_ / "merged.safetensors", config.model, at::kDouble);
  const DitWeights plain = read_start_weights(base_file(), config.model, at::kDouble);
  const NamedTensors expected = named_parameters(converted), unchanged = named_parameters(plain);
  int64_t changed = 0;
  for (size_t i = 0; const auto& [name, tensor] : named_parameters(at_once)) {
    EXPECT_TRUE(at::equal(tensor, expected[i].second)) << name;
    changed += at::equal(tensor, unchanged[i++].second) ? 0 : 1;
  }
  EXPECT_EQ(changed, 30);  // ten linear layers in each of three blocks
}

TEST_F(MergeLora, AnAssumedAlphaIsSaidOnce) {
  const auto bare = [](const std::string& module) { return module; };
  const std::filesystem::path lora = save_lora("bare.safetensors", bare, ".lora_A.weight", ".lora_B.weight", false);
  std::vector<std::string> heard;
  const NoticeScope scope([&](const std::string& text) { heard.push_back(text); });
  merged({{comfy_lora()}});
  EXPECT_TRUE(heard.empty());
  merged({{lora}});
  merged({{lora}});
  EXPECT_THAT(heard, ElementsAre(AllOf(HasSubstr("bare.safetensors"), HasSubstr("alpha = rank (3) is assumed"))));
}

TEST_F(MergeLora, NeverReplacesALoraThatItReads) {
  const auto refusal = [&](const std::filesystem::path& lora, const std::filesystem::path& output) {
    return refusal_of([&] {
      convert_weights({.input = base_file(), .output = output, .overwrite = true, .loras = {{.file = lora}}});
    });
  };
  const std::filesystem::path lora = comfy_lora();
  const auto size = std::filesystem::file_size(lora);
  EXPECT_THAT(refusal(lora, lora), HasSubstr("is a file of the LoRA"));
  std::filesystem::create_directory(folder_ / "peft");
  const auto peft = [](const std::string& module) { return "base_model.model." + module; };
  const std::filesystem::path inside =
      save_lora("peft/adapter_model.safetensors", peft, ".lora_A.weight", ".lora_B.weight", false);
  std::ofstream(folder_ / "peft/adapter_config.json") << R"({"peft_type": "LORA", "r": 3, "lora_alpha": 6})";
  std::filesystem::create_symlink(folder_ / "peft/adapter_config.json", folder_ / "link.safetensors");
  EXPECT_THAT(refusal(folder_ / "peft", inside), HasSubstr("is a file of the LoRA"));
  EXPECT_THAT(refusal(folder_ / "peft", folder_ / "link.safetensors"), HasSubstr("is a file of the LoRA"));
  EXPECT_EQ(std::filesystem::file_size(lora), size);
  merged({{lora}});
  EXPECT_NO_THROW(merged({{lora}})) << "the control: another file is overwritten";
}

TEST_F(MergeLora, NothingIsWrittenForALoraThatDoesNotFit) {
  const DitConfig other{.dim = 48,
                        .ffn_dim = 80,
                        .freq_dim = 32,
                        .text_dim = 48,
                        .text_len = 16,
                        .num_heads = 4,
                        .num_layers = 3,
                        .in_dim = 4,
                        .out_dim = 4};
  save_base(random_dit_weights(other, 7, at::kFloat));
  EXPECT_THAT(refusal_of([&] { merged({{comfy_lora()}}); }),
              AllOf(HasSubstr("lora_down.weight' [3, 96]"), HasSubstr("[96, 96]"), HasSubstr("[48, 48]"),
                    HasSubstr("of another base, such as tiny")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "merged.safetensors"));
}

}  // namespace
}  // namespace sgf
