// What a shipped model's folder holds, and that those in the tree hold it.
#include "sgf/assembly/start_file.h"
#include "sgf/core/dtype.h"
#include "sgf/files/safetensors.h"
#include "sgf/files/sha256.h"
#include "sgf/weights/weight_names.h"
#include "tests/assembly/shipped_model_files.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::read_shipped_model;
using testing::ShippedModel;

constexpr uint64_t kMostBytes = 24'000'000;  // of all that is shipped

// A folder as tools/ship_model.py leaves it, of a network of one narrow layer.
struct MadeModel {
  testing::TemporaryFolder folder;

  explicit MadeModel(DType dtype = DType::kBF16) {
    const Config config = load_config(
        "world-tiny",
        {"model.dim=24", "model.ffn_dim=32", "model.freq_dim=16", "model.num_heads=2", "model.num_layers=1"},
        {SGF_PRESETS});
    testing::write_text(folder / "config.yaml", to_yaml(config));
    write_weights(config, dtype);
    testing::write_text(folder / "metrics.json",
                        nlohmann::json{{"sha256", sha256_of_file(folder / "model.safetensors")}}.dump());
    testing::write_text(folder / "command.txt", "sgf train world-tiny\n");
  }

  void write_weights(const Config& config, DType dtype) const;
  ShippedModel read() const { return read_shipped_model(folder.path(), {SGF_PRESETS}); }
  std::string refusal() const {
    return refusal_of([&] { read(); });
  }
};

void MadeModel::write_weights(const Config& config, DType dtype) const {
  std::vector<OutgoingTensor> tensors;
  const std::vector<std::byte> zeros(1 << 16);  // more than any of its tensors
  for (const WeightShape& weight : expected_dit_weights(config.model))
    tensors.push_back(outgoing_bytes(weight.name, dtype, weight.shape,
                                     std::span(zeros).first(*dense_byte_count(dtype, weight.shape))));
  write_safetensors(folder / "model.safetensors", tensors);
}

TEST(ShippedModel, IsReadWithItsConfigScoresAndCommands) {
  const MadeModel made;
  const ShippedModel model = made.read();
  EXPECT_EQ(model.config.model.dim, 24);
  EXPECT_EQ(model.sha256, sha256_of_file(made.folder / "model.safetensors"));
  EXPECT_EQ(model.commands, "sgf train world-tiny\n");
  EXPECT_EQ(model.weight_bytes, fs::file_size(made.folder / "model.safetensors"));
}

TEST(ShippedModel, IsAPlaceToStartFromAsARunIs) {
  const MadeModel made;
  EXPECT_EQ(find_start_file(made.folder.path()).path, made.folder / "model.safetensors");
  fs::remove(made.folder / "model.safetensors");  // what is left looks like a run without checkpoints
  EXPECT_THAT(refusal_of([&] { find_start_file(made.folder.path()); }), HasSubstr("has no checkpoint yet"));
}

TEST(ShippedModel, ThatLacksAFileIsRefusedByItsName) {
  for (const char* file : {"model.safetensors", "config.yaml", "metrics.json", "command.txt"}) {
    const MadeModel made;
    fs::remove(made.folder / file);
    EXPECT_THAT(made.refusal(), HasSubstr(std::string("holds no ") + file));
  }
}

TEST(ShippedModel, WithScoresOfOtherWeightsIsRefused) {
  const MadeModel made;
  testing::write_text(made.folder / "metrics.json", R"({"sha256": "0123456789abcdef"})");
  EXPECT_THAT(made.refusal(), HasSubstr("metrics.json belongs to other weights (0123456789ab...)"));
  testing::write_text(made.folder / "metrics.json", "{}");
  EXPECT_THAT(made.refusal(), HasSubstr("lacks the sha256"));
}

TEST(ShippedModel, OfAnotherSizeOrPrecisionThanItShouldBeIsRefused) {
  EXPECT_THAT(MadeModel(DType::kF32).refusal(), HasSubstr("must be bfloat16"));
  const MadeModel made;
  Config wider = made.read().config;
  wider.model.ffn_dim = 48;
  testing::write_text(made.folder / "config.yaml", to_yaml(wider));
  EXPECT_THAT(made.refusal(), HasSubstr("is missing or differs from the shape in config.yaml"));
}

TEST(ShippedModel, ThatDoesNotSayWhatMadeItIsRefused) {
  const MadeModel made;
  testing::write_text(made.folder / "command.txt", "\n");
  EXPECT_THAT(made.refusal(), HasSubstr("must hold the commands that made the model"));
}

// Every folder models/WORLD/ROLE of the tree.
std::vector<fs::path> shipped_folders() {
  std::vector<fs::path> folders;
  for (const auto& world : fs::directory_iterator(fs::path(SGF_SOURCE_DIR) / "models")) {
    if (!world.is_directory()) continue;
    for (const auto& role : fs::directory_iterator(world))
      if (role.is_directory()) folders.push_back(role.path());
  }
  return folders;
}

// Of all weight files below a folder, whatever they belong to.
uint64_t bytes_of_weights(const fs::path& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension();
    if (ending == ".safetensors" || ending == ".pt" || ending == ".pth") bytes += entry.file_size();
  }
  return bytes;
}

TEST(ShippedModel, ThoseInTheTreeAreWholeAndSmall) {
  const std::vector<fs::path> folders = shipped_folders();
  if (folders.empty()) GTEST_SKIP() << "there is no models/WORLD/ROLE in this tree";
  uint64_t bytes = 0;
  for (const fs::path& folder : folders) bytes += read_shipped_model(folder, {SGF_PRESETS}).weight_bytes;
  EXPECT_LE(bytes, kMostBytes);
  EXPECT_EQ(bytes, bytes_of_weights(fs::path(SGF_SOURCE_DIR) / "models"));  // there are no others
}

TEST(ShippedModel, WeightsThatLieBesideTheFoldersCountToo) {
  const MadeModel made;
  const uint64_t alone = bytes_of_weights(made.folder.path());
  EXPECT_EQ(alone, made.read().weight_bytes);
  testing::write_text(made.folder / "older.pt", "12345");
  testing::write_text(made.folder / "notes.txt", "123");
  EXPECT_EQ(bytes_of_weights(made.folder.path()), alone + 5);
}

}  // namespace
}  // namespace sgf
