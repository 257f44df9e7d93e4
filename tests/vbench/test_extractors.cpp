// Extractors from files that torch wrote: small networks under the official names and in the official layout.
#include "sgf/vbench/extractor_files.h"

#include "sgf/core/device.h"
#include "sgf/files/tensors.h"
#include "sgf/vbench/vbench_networks.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kFiles = fs::path(SGF_TEST_DATA) / "vbench";

at::Tensor expected(const char* name) { return map_tensor(open_tensor_file(kFiles / "expected.pt"), name).clone(); }

double worst(const at::Tensor& ours, const at::Tensor& theirs) {
  EXPECT_EQ(ours.sizes(), theirs.sizes());
  return (ours.to(at::kCPU, at::kDouble) - theirs.to(at::kDouble)).abs().max().item<double>();
}

TEST(ExtractorFiles, FeaturesAreThoseOfPyTorch) {
  const at::Tensor pictures = expected("pictures");
  const at::TensorOptions wide = at::kFloat;
  EXPECT_LT(
      worst(open_dino_extractor(kFiles / "dino_vitbase16_pretrain.pth", wide).features(pictures), expected("dino")),
      5e-5);
  EXPECT_LT(
      worst(open_dinov2_extractor(kFiles / "dinov2_vitb14_pretrain.pth", wide).features(pictures), expected("dinov2")),
      5e-5);
  EXPECT_LT(worst(open_clip_extractor(kFiles / "ViT-B-32.pt", wide).features(pictures), expected("clip")), 5e-5);
  EXPECT_LT(worst(open_dreamsim_extractor(kFiles / "dreamsim", wide).features(pictures), expected("dreamsim")), 5e-5);
}

TEST(ExtractorFiles, AestheticScoresAreThoseOfPyTorch) {
  const AestheticScorer scorer =
      open_aesthetic_scorer(kFiles / "ViT-L-14.pt", kFiles / "sa_0_4_vit_l_14_linear.pth", at::kFloat);
  EXPECT_LT(worst(scorer.scores(expected("pictures")), expected("aesthetic")), 1e-5);
}

// What 16 bits cost, and that it is more than nothing: half precision must reach the products.
TEST(ExtractorFiles, SixteenBitsAreCloseButNotEqual) {
  const at::Tensor pictures = expected("pictures"), reference = expected("clip");
  for (const auto dtype : {at::kHalf, at::kBFloat16}) {
    const at::Tensor features = open_clip_extractor(kFiles / "ViT-B-32.pt", dtype).features(pictures);
    EXPECT_EQ(features.scalar_type(), at::kFloat);
    EXPECT_LT(worst(features, reference), 0.2);
    EXPECT_GT(worst(features, reference), 1e-4);
  }
}

TEST(ExtractorFiles, TheGpuAgrees) {
  if (!cuda_is_available()) GTEST_SKIP() << "no CUDA device";
  const at::TensorOptions gpu = at::TensorOptions(at::kFloat).device(at::kCUDA);
  const at::Tensor pictures = expected("pictures");
  EXPECT_LT(
      worst(open_dino_extractor(kFiles / "dino_vitbase16_pretrain.pth", gpu).features(pictures), expected("dino")),
      5e-4);
  EXPECT_LT(worst(open_clip_extractor(kFiles / "ViT-B-32.pt", gpu).features(pictures), expected("clip")), 5e-4);
  EXPECT_LT(worst(open_dreamsim_extractor(kFiles / "dreamsim", gpu).features(pictures), expected("dreamsim")), 5e-4);
}

TEST(ExtractorFiles, MorePicturesThanABatchGiveTheRowsOfEach) {
  const VitExtractor extractor = open_clip_extractor(kFiles / "ViT-B-32.pt", at::kFloat);
  const at::Tensor pictures = expected("pictures").repeat({5, 1, 1, 1});
  const at::Tensor rows = extractor.features(pictures);
  ASSERT_EQ(rows.size(0), 10);
  EXPECT_LT(worst(rows[9], extractor.features(pictures.slice(0, 9))[0]), 1e-5);
  EXPECT_GT(worst(rows[9], rows[8]), 1e-2);
}

TEST(ExtractorFiles, DinosWeightsFromTheHubComeFirstInDreamSim) {
  const testing::TemporaryFolder folder;
  fs::copy(kFiles / "dreamsim", folder.path() / "dreamsim", fs::copy_options::recursive);
  fs::create_directory(folder.path() / "dreamsim" / "checkpoints");
  fs::copy(kFiles / "dino_vitbase16_pretrain.pth", folder.path() / "dreamsim" / "checkpoints");
  const at::Tensor rows =
      open_dreamsim_extractor(folder.path() / "dreamsim", at::kFloat).features(expected("pictures"));
  EXPECT_GT(worst(rows, expected("dreamsim")), 1e-2);
}

TEST(ExtractorFiles, AnotherLoraAlphaGivesOtherEmbeddings) {
  const testing::TemporaryFolder folder;
  fs::copy(kFiles / "dreamsim", folder.path() / "dreamsim", fs::copy_options::recursive);
  const fs::path config = folder.path() / "dreamsim" / "ensemble_lora" / "adapter_config.json";
  std::ofstream(config) << R"({"r": 4, "lora_alpha": 3})";
  const at::Tensor rows =
      open_dreamsim_extractor(folder.path() / "dreamsim", at::kFloat).features(expected("pictures"));
  EXPECT_GT(worst(rows, expected("dreamsim")), 1e-4);
  std::ofstream(config) << R"({"r": 5, "lora_alpha": 2})";
  EXPECT_THAT(refusal_of([&] { open_dreamsim_extractor(folder.path() / "dreamsim", at::kFloat); }),
              HasSubstr("2 problems): blocks.0.attn.qkv.weight is missing"));
  std::ofstream(config) << R"({"r": 0})";
  EXPECT_THAT(refusal_of([&] { open_dreamsim_extractor(folder.path() / "dreamsim", at::kFloat); }),
              HasSubstr("adapter_config.json: expected"));
}

// The tensors of a file, some of them changed, written anew.
fs::path rewritten(const testing::TemporaryFolder& folder, const char* file,
                   const std::function<void(std::map<std::string, at::Tensor>&)>& change) {
  const TensorFile opened = open_tensor_file(kFiles / file);
  std::map<std::string, at::Tensor> tensors;
  for (const TensorEntry& entry : opened.entries) tensors[entry.name] = map_tensor(opened, entry).clone();
  change(tensors);
  save_tensors(folder.path() / "changed.safetensors", NamedTensors(tensors.begin(), tensors.end()), {});
  return folder.path() / "changed.safetensors";
}

TEST(ExtractorFiles, AllThatIsWrongIsNamedAtOnce) {
  const testing::TemporaryFolder folder;
  const fs::path path = rewritten(folder, "dino_vitbase16_pretrain.pth", [](auto& tensors) {
    tensors.erase("norm.bias");
    tensors["blocks.1.mlp.fc2.bias"] = at::zeros({7});
  });
  const std::string refusal = refusal_of([&] { open_dino_extractor(path, at::kFloat); });
  EXPECT_THAT(refusal, HasSubstr("changed.safetensors is not a complete DINO ViT-B/16 (2 problems)"));
  EXPECT_THAT(refusal, HasSubstr("norm.bias is missing"));
  EXPECT_THAT(refusal, HasSubstr("blocks.1.mlp.fc2.bias is [7], expected [64]"));
}

TEST(ExtractorFiles, AFileOfAnotherNetworkIsRefusedByName) {
  EXPECT_THAT(refusal_of([] { open_dino_extractor(kFiles / "ViT-B-32.pt", at::kFloat); }),
              HasSubstr("is not a complete DINO ViT-B/16"));
  EXPECT_THAT(refusal_of([] { open_clip_extractor(kFiles / "dino_vitbase16_pretrain.pth", at::kFloat); }),
              HasSubstr("is not a complete CLIP ViT-B/32"));
  EXPECT_THAT(refusal_of([] { open_dreamsim_extractor(kFiles / "ViT-B-32.pt", at::kFloat); }),
              HasSubstr("unzip dreamsim_ensemble_checkpoint.zip"));
}

TEST(ExtractorFiles, ClipTakesNoPicturesOfOtherSizes) {
  VitConfig config = clip_b32_config();
  config.dim = 64, config.heads = 1, config.depth = 1, config.mlp = 8;
  const auto zeros = [](const std::string&, at::IntArrayRef shape) { return at::zeros(shape); };
  NetworkWeights weights(zeros, at::kFloat, "nothing");
  const Vit vit(config, weights);
  EXPECT_EQ(vit.features(at::zeros({1, 3, 224, 224})).size(1), 512);
  EXPECT_THAT(refusal_of([&] { vit.features(at::zeros({1, 3, 224, 256})); }), HasSubstr("square frames of 224 pixels"));
}

// sgf eval's way to weights: a file of VBench's cache by its name, flat here, and what stands before all names.
TEST(NetworkFiles, EveryFileOfTheCacheAnswersByOfficialNames) {
  const WeightsOfFile weights_of = weights_in(WeightPlaces(kFiles));
  const auto finds = [&](const VbenchFile& file, const char* name, at::IntArrayRef shape) {
    NetworkWeights weights = weights_of(file, at::kFloat);
    weights.take(name, shape);
    weights.finish("network");
  };
  finds(kDinoFile, "blocks.1.mlp.fc1.weight", {16, 64});
  finds(kDinov2File, "blocks.1.ls2.gamma", {64});
  finds(kClipB32File, "visual.class_embedding", {64});  // TorchScript archives
  finds(kClipL14File, "visual.class_embedding", {64});
  finds(kAestheticFile, "bias", {1});
  EXPECT_THAT(refusal_of([&] { finds(kClipB32File, "visual.class_token", {64}); }), HasSubstr("ViT-B-32.pt"));
}

TEST(VbenchNetworks, ClipAloneTakesHalfOfTheBitsWhereItIsAsked) {
  std::map<std::string, at::ScalarType> asked;
  const auto note = [&asked](const VbenchFile& file, at::TensorOptions options) -> NetworkWeights {
    asked[std::string(file.path)] = c10::typeMetaToScalarType(options.dtype());
    fail("no weights");
  };
  for (const bool in_half : {false, true}) {
    VbenchNetworks networks(note, {.options = at::kFloat, .clip_in_half = in_half, .dreamsim_folder = {}});
    EXPECT_THROW(networks.clip_b32(), Error);
    EXPECT_THROW(networks.aesthetic(), Error);
    EXPECT_THROW(networks.dino(), Error);
    EXPECT_EQ(asked["clip_model/ViT-B-32.pt"], in_half ? at::kHalf : at::kFloat);
    EXPECT_EQ(asked["dino_model/dino_vitbase16_pretrain.pth"], at::kFloat);
  }
}

}  // namespace
}  // namespace sgf
