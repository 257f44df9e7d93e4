// A Wan folder gives its parts, and says which is missing.
#include "sgf/weights/wan_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

namespace sgf {
namespace {

using ::testing::HasSubstr;

class WanFolderTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void put(const std::string& name) { write(name, "x"); }

  const testing::TemporaryFolder folder_;
};

TEST_F(WanFolderTest, GivesThePathOfEveryPart) {
  for (const char* name : {"diffusion_pytorch_model.safetensors", "config.json", "models_t5_umt5-xxl-enc-bf16.pth",
                           "Wan2.1_VAE.pth", "google/umt5-xxl/spiece.model", "google/umt5-xxl/tokenizer.json"}) {
    put(name);
  }
  const WanFolder wan(folder_.path());
  EXPECT_EQ(wan.dit(), folder_ / "diffusion_pytorch_model.safetensors");
  EXPECT_EQ(wan.text_encoder(), folder_ / "models_t5_umt5-xxl-enc-bf16.pth");
  EXPECT_EQ(wan.tokenizer(), folder_ / "google/umt5-xxl/spiece.model");
  EXPECT_EQ(wan.vae(), folder_ / "Wan2.1_VAE.pth");
}

TEST_F(WanFolderTest, ShardsAreNamedByTheirIndex) {
  put("diffusion_pytorch_model-00001-of-00006.safetensors");
  put("diffusion_pytorch_model.safetensors.index.json");
  EXPECT_EQ(WanFolder(folder_.path()).dit(), folder_ / "diffusion_pytorch_model.safetensors.index.json");
}

TEST_F(WanFolderTest, AMissingPartIsNamedWithWhatThereIs) {
  put("diffusion_pytorch_model.safetensors");
  put("assets/logo.png");
  const WanFolder wan(folder_.path());
  EXPECT_NO_THROW(wan.dit());  // the others are nobody's business until asked for
  const std::string refusal = refusal_of([&] { wan.vae(); });
  EXPECT_THAT(refusal, HasSubstr("no Wan2.1_VAE.pth"));
  EXPECT_THAT(refusal, HasSubstr(folder_.path().string()));
  EXPECT_THAT(refusal, HasSubstr("'assets/', 'diffusion_pytorch_model.safetensors'"));
  EXPECT_THAT(refusal_of([&] { wan.tokenizer(); }), HasSubstr("spiece.model"));
  EXPECT_THAT(refusal_of([&] { wan.text_encoder(); }), HasSubstr("models_t5_umt5-xxl-enc-bf16.pth"));
}

TEST_F(WanFolderTest, ATokenizerInJsonAloneIsExplained) {
  put("google/umt5-xxl/tokenizer.json");
  EXPECT_THAT(refusal_of([&] { WanFolder(folder_.path()).tokenizer(); }), HasSubstr("tokenizer.json is not supported"));
}

TEST_F(WanFolderTest, OtherLayoutsAndFilesAreRefused) {
  EXPECT_THAT(refusal_of([&] { WanFolder{folder_ / "none"}; }), HasSubstr("is not a folder"));
  put("file");
  EXPECT_THAT(refusal_of([&] { WanFolder{folder_ / "file"}; }), HasSubstr("is not a folder"));
}

TEST_F(WanFolderTest, ADiffusersPipelineGivesItsParts) {
  write("model_index.json", R"({"_class_name": "WanPipeline", "transformer_2": [null, null]})");
  for (const char* name :
       {"transformer/diffusion_pytorch_model.safetensors.index.json", "text_encoder/model.safetensors.index.json",
        "tokenizer/spiece.model", "tokenizer/tokenizer.json", "vae/diffusion_pytorch_model.safetensors"}) {
    put(name);
  }
  const WanFolder wan(folder_.path());
  EXPECT_TRUE(wan.is_diffusers());
  EXPECT_EQ(wan.dit(), folder_ / "transformer/diffusion_pytorch_model.safetensors.index.json");
  EXPECT_EQ(wan.text_encoder(), folder_ / "text_encoder/model.safetensors.index.json");
  EXPECT_EQ(wan.tokenizer(), folder_ / "tokenizer/spiece.model");
  EXPECT_EQ(wan.vae(), folder_ / "vae/diffusion_pytorch_model.safetensors");
  std::filesystem::remove(folder_ / "tokenizer/spiece.model");
  EXPECT_THAT(refusal_of([&] { wan.tokenizer(); }), HasSubstr("tokenizer/tokenizer.json is not supported"));
  std::filesystem::remove(folder_ / "vae/diffusion_pytorch_model.safetensors");
  EXPECT_THAT(refusal_of([&] { wan.vae(); }), HasSubstr("no vae/diffusion_pytorch_model.safetensors for the VAE"));
}

TEST_F(WanFolderTest, PipelinesOfOtherModelsAreRefused) {
  const auto refused = [&](const std::string& index) {
    write("model_index.json", index);
    return refusal_of([&] { WanFolder{folder_.path()}; });
  };
  EXPECT_THAT(refused(R"({"_class_name": "WanImageToVideoPipeline"})"), HasSubstr("WanImageToVideoPipeline"));
  EXPECT_THAT(refused(R"({"_class_name": "WanPipeline", "transformer_2": ["diffusers", "WanTransformer3DModel"]})"),
              HasSubstr("two transformers"));
  EXPECT_THAT(refused("{}"), HasSubstr("expected WanPipeline"));
  EXPECT_THAT(refused("x"), HasSubstr("model_index.json"));
}

TEST_F(WanFolderTest, ATextEncoderOfAnotherProgramMayReplaceTheOfficialOne) {
  put("text_encoder/model.safetensors");
  EXPECT_EQ(WanFolder(folder_.path()).text_encoder(), folder_ / "text_encoder/model.safetensors");
  put("models_t5_umt5-xxl-enc-bf16.pth");
  EXPECT_EQ(WanFolder(folder_.path()).text_encoder(), folder_ / "models_t5_umt5-xxl-enc-bf16.pth");
}

}  // namespace
}  // namespace sgf
