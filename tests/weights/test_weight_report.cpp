#include "sgf/files/checkpoint_format.h"
#include "sgf/files/safetensors.h"
#include "sgf/weights/weight_folder.h"
#include "sgf/weights/weight_report.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/weights/made_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace sgf {
namespace {

using sgf::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

WeightReport report_of(const Weights& weights, std::map<std::string, std::string> metadata = {}) {
  return report_weights(make_file(weights, std::move(metadata)), "nowhere/made.safetensors");
}

std::string writer_of(const Weights& weights) { return report_of(weights).written_by; }

const DitReport& only_dit(const WeightReport& report) { return report.roles.at(0).dit.value(); }

void write_text(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

void write_weights(const std::filesystem::path& path, const Weights& weights) {
  const std::vector<std::byte> zeros(1 << 20);
  std::vector<OutgoingTensor> tensors;
  for (const WeightShape& weight : weights) {
    const uint64_t size = dense_byte_count(DType::kF32, weight.shape).value();
    tensors.push_back(outgoing_bytes(weight.name, DType::kF32, weight.shape, std::span(zeros).first(size)));
  }
  write_safetensors(path, tensors);
}

TEST(Content, OfOurOwnFilesIsSaid) {
  EXPECT_THAT(report_of({{"x", {1}}}, {{"sgf.kind", "exit record"}, {"sgf.format_version", "1"}}).content,
              HasSubstr("diagnose recovery --replay"));
  const WeightReport embedding = report_of({{"rows", {2, 4}}}, {{"sgf.kind", "prompt embedding"}, {"prompt", "a cat"}});
  EXPECT_THAT(embedding.content, HasSubstr("'a cat'"));
  EXPECT_EQ(embedding.written_by, "sgf");
  EXPECT_THAT(report_of({{"latents", {1, 4, 2, 2}}}, {{"kind", "\"latents\""}}).content, HasSubstr("sgf vae decode"));
  EXPECT_EQ(report_of(tiny_weights()).content, "");
}

TEST(Content, OfAnOptimiserIsNoDit) {
  const std::map<std::string, std::string> optimiser{{"sgf.kind", "optimiser"}, {"sgf.format_version", "1"}};
  EXPECT_FALSE(report_of(tiny_weights(), optimiser).roles.at(0).dit);
  const std::map<std::string, std::string> network{{"sgf.kind", "dit"}, {"sgf.format_version", "1"}};
  EXPECT_TRUE(report_of(tiny_weights(), network).roles.at(0).dit);
}

TEST(Writer, IsGuessedFromTheNames) {
  const Weights tiny = tiny_weights();
  EXPECT_EQ(writer_of(renamed(tiny, diffusers_name)), "diffusers");
  EXPECT_EQ(writer_of(under("model.diffusion_model.", tiny)), "ComfyUI");
  EXPECT_EQ(writer_of(under("generator_ema.model.", tiny)), "Self-Forcing or Causal-Forcing training");
  EXPECT_THAT(writer_of(under("generator.model._fsdp_wrapped_module.", tiny)), HasSubstr("FSDP-wrapped"));
  EXPECT_THAT(writer_of(under("_fsdp_wrapped_module.", tiny)), HasSubstr("FSDP-wrapped"));
  EXPECT_THAT(writer_of(together(tiny, {{"memory_head.head.bias", {16}}})), HasSubstr("SGF+"));
  EXPECT_THAT(writer_of(together(tiny, {{"img_emb.proj.0.bias", {16}}})), HasSubstr("image-to-video"));
}

// Names alone prove nothing: anybody who trains a smaller Wan saves it under them.
TEST(Writer, IsWanItselfOnlyAtWansOwnSizes) {
  const auto writer_of_outline = [](const Weights& weights) {
    return report_weights(make_outline(weights), "nowhere/outline.pt").written_by;
  };
  for (const char* preset : {"wan-1.3b", "wan-14b"}) {
    EXPECT_EQ(writer_of_outline(expected_dit_weights(dit_preset(preset))), "official Wan");
  }
  DitConfig shallow = dit_preset("wan-1.3b");
  shallow.num_layers = 29;
  EXPECT_EQ(writer_of_outline(expected_dit_weights(shallow)), "unknown, in Wan's names");
  EXPECT_EQ(writer_of(tiny_weights()), "unknown, in Wan's names");
  EXPECT_EQ(writer_of(without("patch_embedding.weight", tiny_weights())), "unknown, in Wan's names");
}

TEST(Writer, IsKnownByWhatItWrapsAroundTheNames) {
  const Weights tiny = tiny_weights();
  EXPECT_EQ(writer_of(under("_orig_mod.", tiny)), "a training run, compiled by torch.compile");
  EXPECT_EQ(writer_of(under("module.", tiny)), "a training run, DDP-wrapped");
  EXPECT_EQ(writer_of(under("module._orig_mod.", tiny)), "a training run, compiled by torch.compile, DDP-wrapped");
  EXPECT_EQ(writer_of(under("_fsdp_wrapped_module.", tiny)), "a training run, FSDP-wrapped");
  EXPECT_EQ(writer_of(under("generator._orig_mod.", tiny)),
            "Self-Forcing or Causal-Forcing training, compiled by torch.compile");
}

TEST(Writer, OfOtherNetworksIsGuessedToo) {
  EXPECT_EQ(writer_of({{"encoder.conv1.weight", {2}}, {"decoder.middle.0.residual.0.gamma", {2}}}), "Wan VAE");
  EXPECT_EQ(writer_of({{"encoder.conv_in.weight", {2}}, {"decoder.mid_block.resnets.0.conv1.weight", {2}}}),
            "diffusers VAE");
  EXPECT_EQ(writer_of({{"token_embedding.weight", {2}}, {"blocks.0.attn.q.weight", {2}}}), "Wan's UMT5 encoder");
  EXPECT_EQ(writer_of({{"shared.weight", {2}}, {"encoder.block.0.layer.0.SelfAttention.q.weight", {2}}}),
            "transformers, a T5 or UMT5");
  EXPECT_EQ(writer_of({{"generator_lora.blocks.0.self_attn.q.lora_A.weight", {2}}}), "LoRA");
  EXPECT_EQ(writer_of({{"something", {2}}}), "unknown");
}

TEST(Writer, OfOurOwnCheckpointsIsRead) {
  std::map<std::string, std::string> metadata;
  stamp(metadata, "dit");
  const WeightReport report = report_of(tiny_weights(), metadata);
  EXPECT_EQ(report.written_by, "sgf (kind dit, format 1)");
  EXPECT_EQ(report.problem, "");
}

TEST(Report, OfANewerCheckpointSaysBothVersions) {
  const WeightReport report = report_of(tiny_weights(), {{kFormatVersionKey, "7"}});
  EXPECT_THAT(report.problem, HasSubstr("format 7"));
  EXPECT_THAT(report.problem, HasSubstr("up to 1"));
  EXPECT_FALSE(report.is_readable);
  EXPECT_TRUE(report_of(tiny_weights(), {{kFormatVersionKey, "1"}}).is_readable);
}

TEST(Report, OfAWholeDitFindsNothingWrong) {
  const WeightReport report = report_of(tiny_weights());
  const DitReport& dit = only_dit(report);
  EXPECT_TRUE(dit.is_whole());
  EXPECT_EQ(dit.preset, "tiny");
  EXPECT_EQ(dit.config_source, "shapes");
  EXPECT_EQ(report.dtypes.at("F32").tensors, static_cast<int64_t>(tiny_weights().size()));
  EXPECT_EQ(static_cast<int64_t>(report.bytes), 4 * report.parameters);
  EXPECT_FALSE(report.has_ema());
}

TEST(Report, ListsWhatIsMissingUnexpectedAndMisshapen) {
  Weights weights = without("blocks.1.norm3.bias", tiny_weights());
  weights.push_back({"blocks.0.norm9.weight", {4}});
  for (WeightShape& weight : weights) {
    if (weight.name == "head.head.bias") weight.shape = {3};
  }
  const WeightReport report = report_of(weights);
  const DitReport& dit = only_dit(report);
  EXPECT_FALSE(dit.is_whole());
  EXPECT_THAT(dit.missing, ElementsAre("blocks.1.norm3.bias"));
  EXPECT_THAT(dit.unexpected, ElementsAre("blocks.0.norm9.weight"));
  EXPECT_THAT(dit.mismatched, ElementsAre("head.head.bias: [3], expected [16]"));
}

TEST(Report, OfATrainingFileCountsEachRole) {
  const WeightReport report = report_of(
      together(together(under("generator_ema.model.", tiny_weights()), under("critic.model.", tiny_weights())),
               {{"optimizer.state.0.exp_avg", {7}}}));
  ASSERT_EQ(report.roles.size(), 3u);
  EXPECT_EQ(report.roles[0].name, "generator_ema");
  EXPECT_TRUE(report.roles[0].is_ema);
  EXPECT_TRUE(report.roles[0].dit->is_whole());
  EXPECT_FALSE(report.roles[1].is_ema);
  EXPECT_EQ(report.roles[2].name, "optimizer");
  EXPECT_EQ(report.roles[2].parameters, 7);
  EXPECT_FALSE(report.roles[2].dit.has_value());
  EXPECT_TRUE(report.has_ema());
}

TEST(Report, OfOneShardSaysThatSizesAreUnknown) {
  Weights second_half;
  for (const WeightShape& weight : tiny_weights()) {
    if (weight.name.starts_with("blocks.2.")) second_half.push_back(weight);
  }
  const WeightReport report = report_of(second_half);
  EXPECT_FALSE(only_dit(report).is_whole());
  EXPECT_THAT(only_dit(report).config_source, HasSubstr("patch_embedding.weight is missing"));
}

TEST(Report, AFileNamedEmaHoldsTheEma) {
  EXPECT_TRUE(report_weights(make_file(tiny_weights()), "step_00000004/ema.safetensors").has_ema());
  EXPECT_FALSE(report_weights(make_file(tiny_weights()), "ema/generator.safetensors").has_ema());
}

TEST(Report, OfOneShardSaysThatThereAreOthers) {
  const auto hint_of = [](const char* name) { return report_weights(make_file(tiny_weights()), name).hint; };
  EXPECT_THAT(hint_of("some/model-00001-of-00003.safetensors"), HasSubstr("one shard of 3"));
  for (const char* name :
       {"model.safetensors", "model-00001-of-00001.safetensors", "a-of-3.pt", "-of-.pt", "x-1-of-y.pt"}) {
    EXPECT_EQ(hint_of(name), "") << name;
  }
}

TEST(Report, ComparesWithoutHeadsWhereTheyCannotBeKnown) {
  DitConfig config = dit_preset("tiny");
  config.dim = 80;
  const WeightReport report = report_of(expected_dit_weights(config));
  EXPECT_TRUE(only_dit(report).is_whole());
  EXPECT_EQ(only_dit(report).config->num_heads, 0);
}

TEST(Report, TakesTheConfigFromMetadata) {
  DitConfig config = dit_preset("tiny");
  config.num_heads = 2;
  const WeightReport report = report_of(tiny_weights(), {{"config", to_json(config)}});
  EXPECT_EQ(only_dit(report).config_source, "metadata");
  EXPECT_EQ(only_dit(report).config, config);
}

TEST(Report, TakesTheConfigBesideTheFile) {
  const TemporaryFolder folder;
  DitConfig config = dit_preset("tiny");
  config.num_layers = 4;
  write_text(folder / "config.json", to_json(config));
  const WeightReport report = report_weights(make_file(tiny_weights()), folder / "made.safetensors");
  EXPECT_EQ(only_dit(report).config_source, "config.json");
  EXPECT_EQ(only_dit(report).missing.size(), 27u);
}

TEST(Report, OfAFileBesideAForeignConfigSaysSoAndGoesOn) {
  const TemporaryFolder folder;
  write_text(folder / "config.json", R"({"model_type": "i2v", "dim": 96, "num_heads": 4})");
  const WeightReport report = report_weights(make_file(tiny_weights()), folder / "made.safetensors");
  EXPECT_THAT(report.problem, HasSubstr("text-to-video"));
  EXPECT_TRUE(report.is_readable);
  EXPECT_EQ(only_dit(report).config_source, "shapes");
}

TEST(Report, NamesTensorsThatShareBytes) {
  TensorFile file = make_file({{"a", {4}}, {"b", {4}}});
  TensorEntry view = file.entries[0];
  view.name = "view_of_a";
  view.offset += 4;
  view.shape = {3};
  view.extent = 12;
  file.add(view);
  EXPECT_THAT(report_weights(file, "x").shared, ElementsAre(ElementsAre("a", "view_of_a")));
  EXPECT_THAT(report_of({{"a", {4}}, {"b", {4}}}).shared, IsEmpty());
}

TEST(ReportJson, HoldsWhatTheReportSays) {
  const nlohmann::json json = to_json(report_of(under("generator.", without("head.head.bias", tiny_weights()))));
  EXPECT_EQ(json["file"], "nowhere/made.safetensors");
  const nlohmann::json& dit = json["roles"][0]["dit"];
  EXPECT_EQ(dit["missing"], nlohmann::json::array({"head.head.bias"}));
  EXPECT_EQ(dit["preset"], "tiny");
  EXPECT_EQ(dit["whole"], false);
  EXPECT_EQ(dit["architecture"]["num_layers"], 3);
}

TEST(WeightFolder, ListsEveryFileOfAWanFolderAndKnowsTheDit) {
  const TemporaryFolder folder;
  for (const char* name : {"Wan2.1_VAE.pth", "diffusion_pytorch_model.safetensors", "config.json", "README.md"}) {
    write_text(folder / name, "x");
  }
  EXPECT_THAT(list_weight_files(folder.path()),
              ElementsAre(folder / "Wan2.1_VAE.pth", folder / "diffusion_pytorch_model.safetensors"));
  EXPECT_EQ(find_dit_file(folder.path()), folder / "diffusion_pytorch_model.safetensors");
  EXPECT_EQ(find_dit_file(folder / "Wan2.1_VAE.pth"), folder / "Wan2.1_VAE.pth");
}

TEST(WeightFolder, CountsShardsAsOne) {
  const TemporaryFolder folder;
  write_weights(folder / "m-1.safetensors", {{"a", {2}}});
  write_weights(folder / "m-2.safetensors", {{"b", {2}}});
  write_weights(folder / "other.safetensors", {{"c", {2}}});
  write_text(folder / "m.safetensors.index.json",
             R"({"weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}})");
  EXPECT_THAT(list_weight_files(folder.path()), ElementsAre(folder.path(), folder / "other.safetensors"));
}

TEST(WeightFolder, ListsTheNetworksOfAPipeline) {
  const TemporaryFolder folder;
  for (const char* part : {"transformer", "vae", "text_encoder", "scheduler"}) {
    std::filesystem::create_directory(folder / part);
  }
  write_text(folder / "model_index.json", "{}");
  write_weights(folder / "transformer/m-1.safetensors", {{"a", {2}}});
  write_text(folder / "transformer/m.safetensors.index.json", R"({"weight_map": {"a": "m-1.safetensors"}})");
  write_weights(folder / "vae/diffusion_pytorch_model.safetensors", {{"b", {2}}});
  EXPECT_THAT(list_weight_files(folder.path()),
              ElementsAre(folder / "transformer", folder / "vae/diffusion_pytorch_model.safetensors"));
}

TEST(WeightFolder, FindsTheTransformerOfAPipeline) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "transformer");
  EXPECT_EQ(find_dit_file(folder.path()), folder / "transformer");
}

TEST(WeightFolder, WithoutWeightsIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { list_weight_files(folder.path()); }), HasSubstr("no *.safetensors"));
}

}  // namespace
}  // namespace sgf
