// A Wan folder of random weights is what the readers take for an official one.
#include "sgf/assembly/random_wan.h"

#include "sgf/assembly/window_source.h"
#include "sgf/files/tensor_file.h"
#include "sgf/text/tokenizer.h"
#include "sgf/text/umt5_names.h"
#include "sgf/vae/vae_report.h"
#include "sgf/weights/wan_folder.h"
#include "sgf/weights/weight_report.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void write_all(const RandomWanOrder& order) {
  const std::vector<PlannedFile> files = plan_random_wan(order);
  prepare_random_wan(files, false);
  for (const PlannedFile& file : files) {
    uint64_t written = 0;
    file.write([&](uint64_t bytes) { written += bytes; });
    EXPECT_EQ(written, file.bytes) << file.path;
    EXPECT_GE(fs::file_size(file.path), file.bytes) << file.path;
  }
}

std::vector<float> values_of(const TensorFile& file, const std::string& name) {
  const TensorEntry& entry = *file.find(name);
  std::vector<float> values(static_cast<size_t>(entry.element_count()));
  std::memcpy(values.data(), file.bytes(entry).data(), values.size() * sizeof(float));
  return values;
}

double deviation_of(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += double(value) * double(value);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(RandomWan, EveryPartIsWholeUnderItsOfficialName) {
  const testing::TemporaryFolder folder;
  write_all({.folder = folder / "wan", .student = std::nullopt});
  const WanFolder wan(folder / "wan");
  const WeightReport dit = report_weights(open_tensor_file(wan.dit()), wan.dit());
  ASSERT_EQ(dit.roles.size(), 1u);
  EXPECT_TRUE(dit.roles[0].dit->is_whole());
  EXPECT_EQ(dit.roles[0].dit->config_source, "config.json");
  const TensorFile encoder = open_tensor_file(wan.text_encoder());
  EXPECT_EQ(encoder.container, Container::kTorchZip);
  EXPECT_EQ(encoder.entries.front().dtype, DType::kBF16);
  EXPECT_EQ(index_umt5(encoder).config.vocabulary, 1024);
  EXPECT_TRUE(report_vae(open_tensor_file(wan.vae()))->is_whole());
  EXPECT_EQ(Tokenizer(wan.tokenizer()).vocabulary(), 1000);
}

TEST(RandomWan, WeightsKeepActivationsOfOrderOne) {
  const testing::TemporaryFolder folder;
  write_all({.folder = folder.path(), .seed = 5, .student = std::nullopt});
  const TensorFile file = open_tensor_file(folder / "diffusion_pytorch_model.safetensors");
  EXPECT_NEAR(deviation_of(values_of(file, "blocks.0.ffn.2.weight")), 1 / std::sqrt(512.0), 0.001);
  EXPECT_NEAR(deviation_of(values_of(file, "blocks.1.self_attn.q.weight")), 1 / std::sqrt(256.0), 0.002);
  EXPECT_NEAR(deviation_of(values_of(file, "blocks.1.self_attn.norm_q.weight")), 1, 0.01);
  EXPECT_NE(values_of(file, "blocks.0.self_attn.q.weight"), values_of(file, "blocks.0.self_attn.k.weight"));
}

TEST(RandomWan, AStudentHasBothRolesWithWeightsOfTheirOwn) {
  const testing::TemporaryFolder folder;
  write_all({.folder = folder / "wan", .student = folder / "framewise/ar/model.pt"});
  const TensorFile file = open_tensor_file(folder / "framewise/ar/model.pt");
  const WeightReport report = report_weights(file, folder / "framewise/ar/model.pt");
  ASSERT_EQ(report.roles.size(), 2u);
  for (const RoleReport& role : report.roles) EXPECT_TRUE(role.dit->is_whole()) << role.name;
  EXPECT_TRUE(report.has_ema());
  EXPECT_NE(values_of(file, "generator.head.head.weight"), values_of(file, "generator_ema.head.head.weight"));
  EXPECT_EQ(find_window_source(folder / "framewise/ar/model.pt")->config, "wan-1.3b-framewise");
}

TEST(RandomWan, ASeedGivesTheSameFilesAndAnotherSeedOthers) {
  const testing::TemporaryFolder folder;
  for (const auto& [name, seed] : std::vector<std::pair<std::string, uint64_t>>{{"a", 1}, {"b", 1}, {"c", 2}})
    write_all({.folder = folder / name, .seed = seed, .student = std::nullopt});
  const auto text = [&](const std::string& name) { return testing::text_of(folder / name / "Wan2.1_VAE.pth"); };
  EXPECT_EQ(text("a"), text("b"));
  EXPECT_NE(text("a"), text("c"));
}

// Sizes as on Hugging Face: 5.68, 11.36 and 0.51 GB; nothing is written.
TEST(RandomWan, FullSizesAreTheOfficialOnes) {
  const auto bytes = [](const std::string& size, const std::string& part) {
    uint64_t sum = 0;
    for (const PlannedFile& file : plan_random_wan({.folder = "w", .size = size, .student = std::nullopt}))
      if (file.path.string().find(part) != std::string::npos && file.path.extension() != ".json") sum += file.bytes;
    return static_cast<double>(sum) / 1e9;
  };
  EXPECT_NEAR(bytes("1.3b", "diffusion_pytorch_model"), 5.68, 0.01);
  EXPECT_NEAR(bytes("1.3b", "models_t5"), 11.36, 0.01);
  EXPECT_NEAR(bytes("1.3b", "Wan2.1_VAE"), 0.51, 0.01);
  EXPECT_NEAR(bytes("14b", "diffusion_pytorch_model"), 57.15, 0.05);
}

TEST(RandomWan, TheLargestDitIsSplitAndItsIndexNamesEveryShard) {
  std::set<std::string> shards;
  bool has_index = false;
  for (const PlannedFile& file : plan_random_wan({.folder = "w", .size = "14b", .student = std::nullopt})) {
    const std::string name = file.path.filename().string();
    if (name.starts_with("diffusion_pytorch_model-")) shards.insert(name);
    has_index = has_index || name == "diffusion_pytorch_model.safetensors.index.json";
  }
  EXPECT_EQ(shards.size(), 6u);
  EXPECT_TRUE(shards.contains("diffusion_pytorch_model-00006-of-00006.safetensors"));
  EXPECT_TRUE(has_index);
}

TEST(RandomWan, ExistingFilesAndOtherSizesAreRefused) {
  const testing::TemporaryFolder folder;
  const RandomWanOrder order{.folder = folder.path(), .student = std::nullopt};
  write_all(order);
  EXPECT_THAT(refusal_of([&] { prepare_random_wan(plan_random_wan(order), false); }), HasSubstr("pass --overwrite"));
  EXPECT_NO_THROW(prepare_random_wan(plan_random_wan(order), true));
  EXPECT_THAT(refusal_of([&] { plan_random_wan({.folder = "w", .size = "5b", .student = std::nullopt}); }),
              HasSubstr("must be tiny, 1.3b, 14b, got '5b'"));
  EXPECT_THAT(refusal_of([&] { plan_random_wan({.folder = "w", .student = "a.safetensors"}); }), HasSubstr(".pt"));
}

TEST(RandomWan, AFullDiskIsNoticedBeforeTheFirstByte) {
  const testing::TemporaryFolder folder;
  const PlannedFile huge{folder / "huge", uint64_t{1} << 60, [](const auto&) { FAIL() << "was written"; }};
  EXPECT_THAT(refusal_of([&] { prepare_random_wan({huge}, false); }), HasSubstr("GB are needed"));
}

}  // namespace
}  // namespace sgf
