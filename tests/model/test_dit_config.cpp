#include "sgf/model/dit_config.h"
#include "tests/core/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::HasSubstr;

constexpr const char* kWan = R"({"_class_name": "WanModel", "dim": 1536, "eps": 1e-06, "ffn_dim": 8960,
  "freq_dim": 256, "in_dim": 16, "model_type": "t2v", "num_heads": 12, "num_layers": 30, "out_dim": 16,
  "text_len": 512, "_diffusers_version": "0.30.0"})";

constexpr const char* kDiffusers = R"({"_class_name": "WanTransformer3DModel", "added_kv_proj_dim": null,
  "attention_head_dim": 128, "cross_attn_norm": true, "eps": 1e-06, "ffn_dim": 13824, "freq_dim": 256,
  "image_dim": null, "in_channels": 16, "num_attention_heads": 40, "num_layers": 40, "out_channels": 16,
  "patch_size": [1, 2, 2], "qk_norm": "rms_norm_across_heads", "rope_max_seq_len": 1024, "text_dim": 4096})";

std::string with(std::string json, const std::string& field) { return json.insert(1, field + ","); }

TEST(DitConfigJson, OfAWanFolderIsRead) {
  EXPECT_EQ(dit_config_from_json(kWan, "config.json"), dit_preset("wan-1.3b"));
}

TEST(DitConfigJson, OfADiffusersFolderIsRead) {
  EXPECT_EQ(dit_config_from_json(kDiffusers, "config.json"), dit_preset("wan-14b"));
}

TEST(DitConfigJson, ComesBackFromItsOwnJson) {
  for (const std::string& name : dit_preset_names()) {
    EXPECT_EQ(dit_config_from_json(to_json(dit_preset(name)), name), dit_preset(name));
  }
}

TEST(DitConfigJson, IgnoresWhatDoesNotChangeTheNetwork) {
  const std::string json =
      with(kWan, R"("local_attn_size": -1, "sink_size": 3, "_name_or_path": "x", "qk_norm": true)");
  EXPECT_EQ(dit_config_from_json(json, "config.json"), dit_preset("wan-1.3b"));
}

TEST(DitConfigJson, RefusesEverySettingOfAnotherNetwork) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"model_type": "i2v", "dim": 96, "num_heads": 4})", "text-to-video"},
      {R"({"qk_norm": false, "dim": 96, "num_heads": 4})", "qk_norm"},
      {R"({"cross_attn_norm": false, "dim": 96, "num_heads": 4})", "cross_attn_norm"},
      {R"({"window_size": [4, 4], "dim": 96, "num_heads": 4})", "window_size"},
      {R"({"added_kv_proj_dim": 5120, "dim": 96, "num_heads": 4})", "image-to-video"},
      {R"({"_class_name": "WanVACEModel", "dim": 96, "num_heads": 4})", "WanVACEModel"},
      {R"({"vace_layers": [0, 5], "dim": 96, "num_heads": 4})", "VACE"},
  };
  for (const auto& [json, reason] : cases) {
    const std::string message = refusal_of([&] { dit_config_from_json(json, "my.json"); });
    EXPECT_THAT(message, HasSubstr(reason));
    EXPECT_THAT(message, HasSubstr("my.json"));
  }
}

TEST(DitConfigJson, RefusesWrongTypesAndOddFiles) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"dim": "wide", "num_heads": 4})", "dim expects an integer"},
      {R"({"dim": 96.5, "num_heads": 4})", "dim expects an integer"},
      {R"({"dim": 18446744073709551615, "num_heads": 4})", "dim expects an integer"},
      {R"({"dim": 96})", "num_heads"},
      {R"({"hidden_size": 4096})", "not the config of a Wan DiT"},
      {R"({"dim": 96, "num_heads": 4, "patch_size": [1, 2]})", "patch_size"},
      {R"({"dim": 96, "num_heads": 4, "eps": "small"})", "eps"},
      {R"([1, 2])", "object"},
      {R"({"dim": 96, "dim": 97})", "dim"},
      {"{", "my.json"},
  };
  for (const auto& [json, reason] : cases) {
    EXPECT_THAT(refusal_of([&] { dit_config_from_json(json, "my.json"); }), HasSubstr(reason)) << json;
  }
}

TEST(DitConfigJson, RefusesSizesThatMakeNoNetwork) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"dim": 96, "num_heads": 5})", "multiple of num_heads"},
      {R"({"dim": 15, "num_heads": 5})", "even"},
      {R"({"dim": 0, "num_heads": 1})", "dim"},
      {R"({"dim": 96, "num_heads": 4, "num_layers": 100000000})", "num_layers"},
      {R"({"dim": 96, "num_heads": 4, "freq_dim": 7})", "freq_dim"},
      {R"({"attention_head_dim": 4611686018427387904, "num_attention_heads": 4})", "attention_head_dim"},
  };
  for (const auto& [json, reason] : cases) {
    EXPECT_THAT(refusal_of([&] { dit_config_from_json(json, "my.json"); }), HasSubstr(reason)) << json;
  }
}

TEST(DitPreset, AnUnknownOneIsRefusedWithTheKnown) {
  EXPECT_THAT(refusal_of([] { dit_preset("wan-2b"); }), HasSubstr("wan-1.3b, wan-14b, tiny"));
}

}  // namespace
}  // namespace sgf
