// The UMT5 encoder: rows of a file that torch wrote, padding that changes nothing, layers read one by one.
#include "sgf/text/umt5_encoder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include "sgf/files/tensors.h"
#include "sgf/text/tokenizer.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

namespace sgf {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kText = std::filesystem::path(SGF_TEST_DATA) / "text";

nlohmann::json recorded_cases() {
  std::ifstream file(kText / "tiny_umt5.json");
  return nlohmann::json::parse(file).at("cases");
}

Umt5Encoder tiny(at::ScalarType dtype, Umt5Residence residence = Umt5Residence::kResident) {
  return Umt5Encoder(open_tensor_file(kText / "tiny_umt5.pth"), at::TensorOptions(dtype), residence);
}

at::Tensor rows_of(const nlohmann::json& one) {
  std::vector<double> values;
  for (const auto& row : one.at("rows")) values.insert(values.end(), row.begin(), row.end());
  return at::tensor(values, at::kDouble).view({static_cast<int64_t>(one.at("rows").size()), -1});
}

double rel_l2(const at::Tensor& ours, const at::Tensor& theirs) {
  return (ours.to(at::kDouble) - theirs).norm().item<double>() / theirs.norm().item<double>();
}

std::vector<std::vector<int64_t>> recorded_ids() {
  std::vector<std::vector<int64_t>> ids;
  for (const auto& one : recorded_cases()) ids.push_back(one.at("ids").get<std::vector<int64_t>>());
  return ids;
}

TEST(Umt5Encoder, GivesTheRecordedRowsInEveryDtype) {
  const std::map<at::ScalarType, double> tolerances{{at::kDouble, 1e-12}, {at::kFloat, 1e-5}, {at::kBFloat16, 3e-2}};
  const nlohmann::json cases = recorded_cases();
  for (const auto& [dtype, tolerance] : tolerances) {
    const std::vector<at::Tensor> rows = tiny(dtype).encode(recorded_ids());
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].scalar_type(), dtype);
      EXPECT_LE(rel_l2(rows[i], rows_of(cases[i])), tolerance) << cases[i].at("prompt") << " in " << name_of(dtype);
    }
  }
}

TEST(Umt5Encoder, PaddingBehindAMaskChangesNoRealRow) {
  const Umt5Encoder encoder = tiny(at::kDouble);
  const std::vector<int64_t> ids = recorded_ids()[0];
  const auto length = static_cast<int64_t>(ids.size());
  const at::Tensor alone = encoder.encode({ids})[0];
  at::Tensor padded = at::zeros({1, 64}, at::kLong), mask = at::zeros({1, 64}, at::kLong);
  padded[0].slice(0, 0, length).copy_(at::tensor(ids, at::kLong));
  mask[0].slice(0, 0, length).fill_(1);
  EXPECT_LE(rel_l2(encoder.forward(padded, mask)[0].slice(0, 0, length), alone), 1e-13);
  // The control: without the mask the padding is read.
  EXPECT_GT(rel_l2(encoder.forward(padded, {})[0].slice(0, 0, length), alone), 1e-3);
}

TEST(Umt5Encoder, LayersReadOneByOneGiveTheSameBits) {
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const auto resident = tiny(dtype).encode(recorded_ids());
    const auto streamed = tiny(dtype, Umt5Residence::kLayerByLayer).encode(recorded_ids());
    for (size_t i = 0; i < resident.size(); ++i) EXPECT_TRUE(at::equal(resident[i], streamed[i]));
  }
}

TEST(Umt5Encoder, APromptsRowsDoNotDependOnItsCompany) {
  const Umt5Encoder encoder = tiny(at::kFloat);
  const std::vector<at::Tensor> together = encoder.encode(recorded_ids());
  for (size_t i = 0; i < together.size(); ++i) {
    EXPECT_TRUE(at::equal(together[i], encoder.encode({recorded_ids()[i]})[0]));
  }
}

TEST(Umt5Encoder, DistancesFallIntoBucketsOfBothSigns) {
  const at::Tensor buckets = relative_position_buckets(200, 32);
  const auto at_offset = [&](int64_t offset) {
    return buckets[offset > 0 ? 0 : 199][offset > 0 ? offset : 199 + offset];
  };
  const std::map<int64_t, int64_t> expected{{0, 0},  {-1, 1},  {1, 17},  {-7, 7},   {7, 23},   {-8, 8},
                                            {8, 24}, {15, 25}, {16, 26}, {-64, 14}, {128, 31}, {199, 31}};
  for (const auto& [offset, bucket] : expected) EXPECT_EQ(at_offset(offset).item<int64_t>(), bucket) << offset;
}

TEST(Umt5Encoder, IdsBeyondTheVocabularyAreRefused) {
  const Umt5Encoder encoder = tiny(at::kFloat);
  EXPECT_THAT(refusal_of([&] { encoder.encode({{600}}); }), HasSubstr("0 to 599"));
  EXPECT_THAT(refusal_of([&] { encoder.encode({{-1}}); }), HasSubstr("0 to 599"));
}

// The file's tensors, changed or left out.
class Umt5FileTest : public ::testing::Test {
 protected:
  Umt5FileTest() {
    const TensorFile file = open_tensor_file(kText / "tiny_umt5.pth");
    for (const TensorEntry& entry : file.entries) tensors_.emplace_back(entry.name, map_tensor(file, entry).clone());
  }

  at::Tensor& operator[](const std::string& name) {
    return std::ranges::find(tensors_, name, [](const auto& named) { return named.first; })->second;
  }

  TensorFile saved() const {
    save_tensors(folder_ / "t5.safetensors", tensors_, {});
    return open_tensor_file(folder_ / "t5.safetensors");
  }

  NamedTensors tensors_;
  testing::TemporaryFolder folder_;
};

TEST_F(Umt5FileTest, SizesAreReadOffTheShapes) {
  const Umt5Index index = index_umt5(saved());
  EXPECT_EQ(index.config, (Umt5Config{600, 32, 32, 48, 4, 2, 32}));
  EXPECT_TRUE(index.unexpected.empty());
}

// UMT5EncoderModel of transformers, as diffusers' text_encoder/ holds it.
std::string transformers_name(const std::string& name) {
  if (name == "token_embedding.weight") return "shared.weight";
  if (name == "norm.weight") return "encoder.final_layer_norm.weight";
  const size_t dot = name.find('.', 7);
  const std::map<std::string, std::string> of_layer{
      {"attn.q.weight", "0.SelfAttention.q.weight"},
      {"attn.k.weight", "0.SelfAttention.k.weight"},
      {"attn.v.weight", "0.SelfAttention.v.weight"},
      {"attn.o.weight", "0.SelfAttention.o.weight"},
      {"norm1.weight", "0.layer_norm.weight"},
      {"norm2.weight", "1.layer_norm.weight"},
      {"ffn.gate.0.weight", "1.DenseReluDense.wi_0.weight"},
      {"ffn.fc1.weight", "1.DenseReluDense.wi_1.weight"},
      {"ffn.fc2.weight", "1.DenseReluDense.wo.weight"},
      {"pos_embedding.embedding.weight", "0.SelfAttention.relative_attention_bias.weight"}};
  return "encoder.block." + name.substr(7, dot - 7) + ".layer." + of_layer.at(name.substr(dot + 1));
}

TEST_F(Umt5FileTest, OfTransformersGivesTheSameBits) {
  const std::vector<at::Tensor> expected = tiny(at::kFloat).encode(recorded_ids());
  for (auto& [name, tensor] : tensors_) name = transformers_name(name);
  for (const char* embedding : {"shared.weight", "encoder.embed_tokens.weight"}) {
    tensors_.front().first = embedding;
    ASSERT_EQ(find_umt5(saved())->naming, "transformers");
    EXPECT_TRUE(index_umt5(saved()).unexpected.empty());
    const std::vector<at::Tensor> found = Umt5Encoder(saved(), at::TensorOptions(at::kFloat)).encode(recorded_ids());
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(at::equal(found[i], expected[i])) << embedding;
  }
}

TEST_F(Umt5FileTest, ATransformersFileWithoutAPartIsRefused) {
  for (auto& [name, tensor] : tensors_) name = transformers_name(name);
  std::erase_if(tensors_,
                [](const auto& named) { return named.first == "encoder.block.1.layer.1.DenseReluDense.wo.weight"; });
  EXPECT_THAT(refusal_of([&] { index_umt5(saved()); }), HasSubstr("blocks.1.ffn.fc2.weight is missing"));
}

TEST_F(Umt5FileTest, WhatIsMissingWrongOrTooMuchIsNamed) {
  std::erase_if(tensors_, [](const auto& named) { return named.first == "blocks.1.attn.o.weight"; });
  (*this)["blocks.0.norm2.weight"] = at::ones({7});
  tensors_.emplace_back("blocks.1.attn.o.bias", at::ones({32}));
  const TensorFile file = saved();
  const std::string refusal = refusal_of([&] { index_umt5(file); });
  EXPECT_THAT(refusal, HasSubstr("blocks.1.attn.o.weight is missing"));
  EXPECT_THAT(refusal, HasSubstr("blocks.0.norm2.weight: [7], expected [32]"));
  EXPECT_EQ(find_umt5(file)->unexpected, std::vector<std::string>{"blocks.1.attn.o.bias"});
}

TEST_F(Umt5FileTest, OtherFilesAreRefusedByWhatTheyLack) {
  const TensorFile other = open_tensor_file(std::filesystem::path(SGF_TEST_DATA) / "weights" / "state_dict.pt");
  EXPECT_FALSE(find_umt5(other).has_value());
  EXPECT_THAT(refusal_of([&] { index_umt5(other); }), HasSubstr("not a UMT5 encoder"));
}

TEST_F(Umt5FileTest, HeadsThatDoNotDivideTheWidthAreRefused) {
  for (const char* block : {"blocks.0.", "blocks.1."}) {
    (*this)[std::string(block) + "pos_embedding.embedding.weight"] = at::ones({32, 5});
  }
  EXPECT_THAT(refusal_of([&] { index_umt5(saved()); }), HasSubstr("5 heads"));
}

}  // namespace
}  // namespace sgf
