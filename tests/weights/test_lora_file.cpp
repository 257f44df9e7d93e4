// LoRA files of every program are read as the same changes, and what cannot be merged is refused by name.
#include "sgf/weights/lora_file.h"

#include "sgf/files/safetensors.h"
#include "sgf/weights/lora_names.h"
#include "sgf/weights/weight_report.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/weights/made_files.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

const std::string kTarget = "blocks.1.self_attn.q.weight";

// A and B of rank 2 for that weight of the tiny network, whose width is 96.
Weights pair_of(const std::string& down, const std::string& up) { return {{down, {2, 96}}, {up, {96, 2}}}; }

Weights peft_pair(const std::string& module = "base_model.model.blocks.1.self_attn.q") {
  return pair_of(module + ".lora_A.weight", module + ".lora_B.weight");
}

LoraFile read(const Weights& weights, const std::optional<AdapterConfig>& config = std::nullopt) {
  return read_lora(make_file(weights), "lora.safetensors", config);
}

std::string refusal(const Weights& weights, const std::optional<AdapterConfig>& config = std::nullopt) {
  return refusal_of([&] { read(weights, config); });
}

std::string misfit(const Weights& lora) {
  const TensorFile base = make_file(tiny_weights());
  return refusal_of([&] { check_lora_fits(read(lora), index_dit_weights(base), "base.safetensors"); });
}

TEST(LoraNames, OfEveryProgramNameTheSameWeight) {
  for (const char* module : {"base_model.model.blocks.1.self_attn.q",                 // PEFT
                             "generator_lora.base_model.model.blocks.1.self_attn.q",  // LongLive
                             "generator_lora.base_model.model._fsdp_wrapped_module.blocks.1.self_attn.q",
                             "transformer.blocks.1.attn1.to_q",                               // diffusers
                             "blocks.1.self_attn.q", "diffusion_model.blocks.1.self_attn.q",  // ComfyUI
                             "pipe.dit.blocks.1.self_attn.q"}) {                              // DiffSynth
    EXPECT_EQ(read(peft_pair(module)).changes.begin()->first, kTarget) << module;
    EXPECT_EQ(read(pair_of(std::string(module) + ".lora_down.weight", std::string(module) + ".lora_up.weight"))
                  .changes.begin()
                  ->first,
              kTarget);
  }
  for (const char* module : {"lora_unet_blocks_1_self_attn_q", "lora_unet_blocks_1_attn1_to_q"})  // kohya
    EXPECT_EQ(read(pair_of(std::string(module) + ".lora_down.weight", std::string(module) + ".lora_up.weight"))
                  .changes.size(),
              1u)
        << module;
  const std::string q = "base_model.model.blocks.1.self_attn.q";  // as PEFT's own state dict has it
  EXPECT_EQ(read(pair_of(q + ".lora_A.default.weight", q + ".lora_B.default.weight")).changes.begin()->first, kTarget);
}

TEST(LoraNames, ReachEveryWeightOfTheNetworkUnderBothSpellings) {
  for (const WeightShape& weight : expected_dit_weights(dit_preset("tiny"))) {
    if (!weight.name.ends_with(".weight")) continue;
    const std::string module = weight.name.substr(0, weight.name.size() - 7);
    const std::string diffusers = diffusers_name(weight.name);
    for (std::string name : {module, diffusers.substr(0, diffusers.size() - 7)}) {
      EXPECT_EQ(read_lora_name(name + ".lora_A.weight")->module, module);
      std::ranges::replace(name, '.', '_');
      EXPECT_EQ(read_lora_name("lora_unet_" + name + ".lora_down.weight")->module, module) << name;
    }
  }
}

TEST(LoraNames, OfOtherNetworksAreNotTaken) {
  for (const char* name :
       {"lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight",
        "transformer.transformer_blocks.0.attn.to_q.lora_A.weight", "text_encoder.blocks.0.attn.q.lora_A.weight",
        "transformer_2.blocks.0.attn1.to_q.lora_A.weight", "blocks.0.cross_attn.k_img.lora_A.weight",
        "blocks.01.self_attn.q.lora_A.weight", "blocks.0.self_attn.q.weight", "lora_unet_blocks_x_self_attn_q.alpha",
        "lora_unet_", ".lora_A.weight", ""})
    EXPECT_FALSE(read_lora_name(name).has_value()) << name;
}

TEST(LoraFile, AlphaOfTheFileComesFirstThenTheConfigsThenTheRank) {
  const LoraFile assumed = read(peft_pair());
  EXPECT_EQ(assumed.changes.at(kTarget).factor, 1);
  EXPECT_THAT(assumption_of(assumed), AllOf(HasSubstr("lora.safetensors"), HasSubstr("alpha = rank (2) is assumed")));

  const AdapterConfig config = adapter_config_from_json(R"({"peft_type": "LORA", "r": 2, "lora_alpha": 6})", "config");
  EXPECT_EQ(read(peft_pair(), config).changes.at(kTarget).factor, 3);
  EXPECT_EQ(assumption_of(read(peft_pair(), config)), "");

  Weights with_alpha = peft_pair("diffusion_model.blocks.1.self_attn.q");
  with_alpha.push_back({"diffusion_model.blocks.1.self_attn.q.alpha", {}});
  EXPECT_EQ(read(with_alpha, config).changes.at(kTarget).factor, 0) << "a made file holds zeros";
  EXPECT_EQ(read(with_alpha).alpha_from, "tensors");
}

TEST(LoraFile, PatternsAndRankStabilisationScaleSingleModules) {
  const auto factor = [](const std::string& json) {
    return read(peft_pair(), adapter_config_from_json(json, "config")).changes.at(kTarget).factor;
  };
  EXPECT_EQ(
      factor(R"({"r": 8, "lora_alpha": 8, "rank_pattern": {"self_attn.q": 2}, "alpha_pattern": {"self_attn.q": 10}})"),
      5);
  EXPECT_EQ(factor(R"({"r": 2, "lora_alpha": 8, "alpha_pattern": {"f_attn.q": 10}})"), 4) << "no part of a name";
  EXPECT_DOUBLE_EQ(factor(R"({"r": 2, "lora_alpha": 8, "use_rslora": true})"), 8 / std::sqrt(2.0));
  EXPECT_THAT(refusal(peft_pair(), adapter_config_from_json(R"({"r": 4, "lora_alpha": 8})", "config")),
              AllOf(HasSubstr("has rank 2"), HasSubstr("config says 4")));
}

TEST(LoraFile, ConfigsThatMeanSomethingElseAreRefused) {
  const auto refused = [](const std::string& json) {
    return refusal_of([&] { adapter_config_from_json(json, "adapter_config.json"); });
  };
  EXPECT_THAT(refused(R"({"peft_type": "LOHA"})"), HasSubstr("expected \"LORA\""));
  EXPECT_THAT(refused(R"({"use_dora": true})"), HasSubstr("DoRA"));
  EXPECT_THAT(refused(R"({"init_lora_weights": "pissa_niter_4"})"), HasSubstr("changes the base"));
  EXPECT_THAT(refused(R"({"alpha_pattern": {"^blocks.*q$": 1}})"), HasSubstr("regular expression"));
  EXPECT_THAT(refused(R"({"r": 0})"), HasSubstr("r must be an integer"));
  EXPECT_THAT(refused(R"({"lora_alpha": "much"})"), HasSubstr("lora_alpha must be a number"));
  EXPECT_THAT(refused("[]"), HasSubstr("JSON object"));
}

TEST(LoraFile, BiasesAndWholeDifferencesAreChangesToo) {
  Weights weights = peft_pair("diffusion_model.blocks.1.self_attn.q");
  weights.push_back({"diffusion_model.blocks.1.self_attn.q.diff_b", {96}});
  weights.push_back({"diffusion_model.blocks.0.norm3.diff", {96}});
  weights.push_back({"diffusion_model.blocks.0.self_attn.k.lora_A.weight", {4, 96}});
  weights.push_back({"diffusion_model.blocks.0.self_attn.k.lora_B.weight", {96, 4}});
  weights.push_back({"diffusion_model.blocks.0.self_attn.k.lora_B.bias", {96}});
  const LoraFile lora = read(weights);
  std::vector<std::string> names;
  for (const auto& [name, change] : lora.changes) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("blocks.0.norm3.weight", "blocks.0.self_attn.k.bias", "blocks.0.self_attn.k.weight",
                                 "blocks.1.self_attn.q.bias", kTarget));
  EXPECT_THAT(lora.ranks(), ElementsAre(2, 4));
  EXPECT_THAT(describe(lora), HasSubstr("LoRA: rank 2, 4, 5 weights: "));
}

TEST(LoraFile, TheCriticsHalfOfLongLiveIsLeftOut) {
  Weights weights = peft_pair("generator_lora.base_model.model.blocks.1.self_attn.q");
  for (const WeightShape& weight : peft_pair("critic_lora.base_model.model.blocks.1.self_attn.q"))
    weights.push_back(weight);
  const LoraFile lora = read(weights);
  EXPECT_EQ(lora.changes.size(), 1u);
  EXPECT_EQ(lora.left_out.size(), 2u);
  EXPECT_THAT(refusal(peft_pair("critic_lora.base_model.model.blocks.1.self_attn.q")),
              HasSubstr("only that of a critic"));
}

TEST(LoraFile, WhatIsNotUnderstoodIsNeverSkipped) {
  const auto with = [](const std::string& name) {
    Weights weights = peft_pair();
    weights.push_back({name, {96}});
    return refusal(weights);
  };
  EXPECT_THAT(with("blocks.1.self_attn.q.mystery"),
              AllOf(HasSubstr("1 of 3 tensors are not understood"), HasSubstr("'blocks.1.self_attn.q.mystery'")));
  EXPECT_THAT(with("base_model.model.blocks.1.self_attn.q.lora_magnitude_vector"), HasSubstr("DoRA"));
  EXPECT_THAT(with("blocks.1.cross_attn.k_img.lora_A.weight"), HasSubstr("image-to-video"));
  EXPECT_THAT(with("lora_te_encoder.lora_down.weight"), HasSubstr("text encoder"));
  EXPECT_THAT(with("blocks.1.self_attn.k.alpha"), HasSubstr("has neither A nor B"));
  EXPECT_THAT(with("blocks.1.self_attn.q.lora_A.weight"), HasSubstr("are the same part of blocks.1.self_attn.q"));
  EXPECT_THAT(refusal(tiny_weights()), HasSubstr("holds no LoRA"));
}

TEST(LoraFile, HalvesOfAPairAreRefused) {
  EXPECT_THAT(refusal({peft_pair()[0]}), HasSubstr("has no B"));
  EXPECT_THAT(refusal({peft_pair()[1]}), HasSubstr("has no A"));
  Weights odd = peft_pair();
  odd[1].shape = {96, 3};
  EXPECT_THAT(refusal(odd), AllOf(HasSubstr("[2, 96]"), HasSubstr("[96, 3]")));
  odd[1].shape = {96};
  EXPECT_THAT(refusal(odd), HasSubstr("expected [rank, in] and [out, rank]"));
}

TEST(LoraFile, OfAnotherBaseIsRefusedWithBothShapes) {
  Weights large = peft_pair();
  large[0].shape = {2, 5120};
  large[1].shape = {5120, 2};
  EXPECT_THAT(misfit(large), AllOf(HasSubstr("lora_A.weight' [2, 5120]"), HasSubstr("[5120, 5120]"),
                                   HasSubstr("[96, 96]"), HasSubstr("base.safetensors"), HasSubstr("such as wan-14b")));
  EXPECT_THAT(misfit(peft_pair("blocks.7.self_attn.q")),
              AllOf(HasSubstr("blocks.7.self_attn.q.weight, which base.safetensors does not have")));
  check_lora_fits(read(peft_pair()), index_dit_weights(make_file(tiny_weights())), "base.safetensors");  // the control
}

TEST(LoraFile, IsNoNetworkAndSaysWhereItGoes) {
  const TensorFile lora = make_file(peft_pair());
  EXPECT_THAT(refusal_of([&] { index_dit_weights(lora); }), HasSubstr("is a LoRA; pass its base here"));
  EXPECT_EQ(report_weights(lora, "lora.safetensors").written_by, "LoRA");
  const nlohmann::json json = to_json(read(peft_pair()));
  EXPECT_EQ(json.at("ranks"), nlohmann::json::array({2}));
  EXPECT_EQ(json.at("changes").at(kTarget).at("rank"), 2);
}

TEST(LoraFile, IdentityChangesWithAlpha) {
  const auto identity = [](const std::string& json) {
    return lora_identity(read(peft_pair(), adapter_config_from_json(json, "config")));
  };
  EXPECT_EQ(identity(R"({"lora_alpha": 2})"), lora_identity(read(peft_pair())));
  EXPECT_NE(identity(R"({"lora_alpha": 4})"), lora_identity(read(peft_pair())));
}

TEST(LoraFile, ConfigsLieBesideTheTensorsOrWithin) {
  const TemporaryFolder folder;
  std::vector<float> zeros(2 * 96);
  const auto write = [&](const std::filesystem::path& path, const Weights& weights,
                         const std::map<std::string, std::string>& metadata) {
    std::vector<OutgoingTensor> tensors;
    for (const WeightShape& weight : weights)
      tensors.push_back(outgoing_bytes(weight.name, DType::kF32, weight.shape, std::as_bytes(std::span(zeros))));
    write_safetensors(path, tensors, metadata);
  };
  write(folder / "adapter_model.safetensors", peft_pair(), {});
  std::ofstream(folder / "adapter_config.json") << R"({"peft_type": "LORA", "r": 2, "lora_alpha": 8})";
  EXPECT_EQ(open_lora(folder.path()).changes.at(kTarget).factor, 4);
  EXPECT_EQ(open_lora(folder / "adapter_model.safetensors").changes.at(kTarget).factor, 4);

  EXPECT_EQ(open_lora(folder / "adapter_model.safetensors").alpha_from, (folder / "adapter_config.json").string());

  // The config is that of adapter_model alone: another LoRA in the folder has its own rank and alpha.
  write(folder / "longlive_lora.safetensors", peft_pair(), {});
  EXPECT_EQ(open_lora(folder / "longlive_lora.safetensors").changes.at(kTarget).factor, 1);
  EXPECT_THAT(assumption_of(open_lora(folder / "longlive_lora.safetensors")),
              HasSubstr("no adapter_config.json of its own"));

  const TemporaryFolder other;
  write(other / "pytorch_lora_weights.safetensors", peft_pair("transformer.blocks.1.attn1.to_q"),
        {{"lora_adapter_metadata", R"({"transformer.r": 2, "transformer.lora_alpha": 1, "text_encoder.r": 4})"}});
  EXPECT_EQ(open_lora(other / "pytorch_lora_weights.safetensors").changes.at(kTarget).factor, 0.5);
  EXPECT_THAT(open_lora(other / "pytorch_lora_weights.safetensors").alpha_from,
              HasSubstr("pytorch_lora_weights.safetensors metadata"));
}

TEST(LoraUse, IsAFileAndAScale) {
  EXPECT_EQ(parse_lora_use("a.pt"), (LoraUse{"a.pt", 1}));
  EXPECT_EQ(parse_lora_use("a.pt:0.5"), (LoraUse{"a.pt", 0.5}));
  EXPECT_EQ(parse_lora_use("a.pt:-1"), (LoraUse{"a.pt", -1}));
  for (const char* text : {"a.pt:", "a.pt:x", "a.pt:1x", "a.pt:nan", ":1"})
    EXPECT_THAT(refusal_of([&] { parse_lora_use(text); }), HasSubstr("FILE:SCALE")) << text;
  const TemporaryFolder folder;
  std::ofstream(folder / "odd:2") << "x";
  EXPECT_EQ(parse_lora_use((folder / "odd:2").string()).scale, 1);
}

}  // namespace
}  // namespace sgf
