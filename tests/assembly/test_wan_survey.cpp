// What `sgf doctor` finds in folders that are whole, partly downloaded, cut short, or mixed up.
#include "sgf/assembly/folder_survey.h"

#include "sgf/assembly/random_wan.h"
#include "sgf/config/config.h"
#include "sgf/files/safetensors.h"
#include "sgf/runs/run_folder.h"
#include "sgf/text/spiece_writer.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Surveyed : ::testing::Test {
  testing::TemporaryFolder folder;
  fs::path wan = folder / "wan_models/Wan2.1-T2V-1.3B";
  fs::path student = folder / "checkpoints/chunkwise/ar/model.pt";

  void SetUp() override {
    const auto files = plan_random_wan({.folder = wan, .student = student});
    prepare_random_wan(files, false);
    for (const PlannedFile& file : files) file.write([](uint64_t) {});
  }

  SurveyedPart part(const std::string& name) const {
    for (const SurveyedPart& part : survey_wan(wan).parts)
      if (part.name == name) return part;
    ADD_FAILURE() << "no part " << name;
    return {};
  }
  void cut(const std::string& name) const { fs::resize_file(wan / name, fs::file_size(wan / name) - 7); }
};

TEST_F(Surveyed, AWholeFolderIsComplete) {
  const WanSurvey survey = survey_wan(wan);
  EXPECT_EQ(survey.parts.size(), 4u);
  for (const SurveyedPart& part : survey.parts) {
    EXPECT_EQ(part.state, PartState::kComplete) << part.name << ": " << part.problem;
    EXPECT_GT(part.bytes, 1000u) << part.name;
  }
  EXPECT_TRUE(survey.gives_text_and_video());
  EXPECT_FALSE(survey.is_broken());
  EXPECT_EQ(survey.dit->dim, 256);
}

TEST_F(Surveyed, AMissingPartComesWithItsDownload) {
  fs::remove(wan / "Wan2.1_VAE.pth");
  EXPECT_EQ(part("VAE").state, PartState::kMissing);
  EXPECT_EQ(part("VAE").downloads, "hf download Wan-AI/Wan2.1-T2V-1.3B Wan2.1_VAE.pth --local-dir " + wan.string());
  EXPECT_FALSE(survey_wan(wan).is_broken());  // not whole, but nothing in it is wrong
  EXPECT_FALSE(survey_wan(wan).gives_text_and_video());
}

TEST_F(Surveyed, PartsThatAreCutShortAreBroken) {
  for (const auto& [file, name] :
       std::vector<std::pair<std::string, std::string>>{{"diffusion_pytorch_model.safetensors", "DiT"},
                                                        {"models_t5_umt5-xxl-enc-bf16.pth", "text encoder"},
                                                        {"google/umt5-xxl/spiece.model", "tokenizer"},
                                                        {"Wan2.1_VAE.pth", "VAE"}}) {
    cut(file);
    EXPECT_EQ(part(name).state, PartState::kBroken) << name;
    EXPECT_THAT(part(name).problem, HasSubstr(fs::path(file).filename().string()));
  }
  EXPECT_TRUE(survey_wan(wan).is_broken());
}

TEST_F(Surveyed, TheTokenizerOfAnotherModelIsBroken) {
  const fs::path tokenizer = wan / "google/umt5-xxl/spiece.model", encoder = wan / "models_t5_umt5-xxl-enc-bf16.pth";
  EXPECT_NO_THROW(check_text_files(encoder, tokenizer));
  testing::write_text(tokenizer, spiece_bytes(plain_tokenizer(1025)));
  EXPECT_THAT(part("tokenizer").problem, HasSubstr("has 1025 pieces, and the text encoder has embeddings for 1024"));
  EXPECT_THAT(refusal_of([&] { check_text_files(encoder, tokenizer); }), HasSubstr("tokenizer of another model"));
  testing::write_text(tokenizer, spiece_bytes(plain_tokenizer(600)));  // too few for a table of 1024
  EXPECT_THAT(part("tokenizer").problem, HasSubstr("has 600 pieces"));
  testing::write_text(tokenizer, "{}");
  EXPECT_THAT(part("tokenizer").problem, HasSubstr("not a complete SentencePiece model"));
}

TEST_F(Surveyed, AFolderAroundThemFindsWanFoldersAndCheckpoints) {
  const FolderSurvey survey = survey_folder(folder.path());
  ASSERT_EQ(survey.wans.size(), 1u);
  ASSERT_EQ(survey.weights.size(), 1u);
  EXPECT_EQ(survey.weights[0].file, student);
  EXPECT_TRUE(survey.weights[0].dit.has_value());
  EXPECT_EQ(survey.weights[0].config, "wan-1.3b-chunkwise");
  EXPECT_THAT(survey.weights[0].content, HasSubstr("generator_ema"));
  EXPECT_THAT(survey.weights[0].window, HasSubstr("wan-1.3b-chunkwise"));
  EXPECT_FALSE(survey.is_broken());
}

TEST_F(Surveyed, ACheckpointThatTellsNoWindowComesWithTheChoices) {
  const fs::path elsewhere = folder / "bare.pt";
  fs::rename(student, elsewhere);
  const SurveyedWeights bare = survey_weights(elsewhere);
  EXPECT_EQ(bare.window, "");
  EXPECT_FALSE(bare.choices.empty());
  EXPECT_EQ(bare.problem, "");
  fs::resize_file(elsewhere, 5000);
  EXPECT_NE(survey_weights(elsewhere).problem, "");
}

TEST_F(Surveyed, TheTeacherForcedStartOfAReleaseIsNoStudent) {
  const fs::path start = folder / "checkpoints/init/chunkwise/ar_diffusion.pt";
  fs::create_directories(start.parent_path());
  fs::copy_file(student, start);
  EXPECT_TRUE(survey_weights(start).is_many_step);
  EXPECT_THAT(survey_weights(start).window, HasSubstr("causal-forcing-chunkwise"));
  EXPECT_FALSE(survey_weights(student).is_many_step);
}

TEST_F(Surveyed, ARunIsOneStudentAndNotTheNetworksOfItsCheckpoints) {
  const fs::path place = folder / "runs/one";
  const auto start_run = [&](const std::string& stage) {
    fs::remove_all(place);
    const Config config = load_config("wan-tiny", {"train.stage=" + stage}, {SGF_PRESETS});
    return RunFolder::create(place, to_yaml(config)).checkpoints();
  };
  const auto write_checkpoint = [&](const fs::path& checkpoint) {
    for (const char* name : {"critic.safetensors", "generator.safetensors", "optimiser.safetensors"})
      fs::copy_file(wan / "diffusion_pytorch_model.safetensors", checkpoint / name);
    testing::write_text(checkpoint / "state.json", "{}");
  };
  const CheckpointStore checkpoints = start_run("dmd");
  EXPECT_FALSE(survey_folder(place.parent_path()).weights.front().dit.has_value());  // no checkpoint yet
  EXPECT_FALSE(survey_folder(place.parent_path()).is_broken());

  for (const int64_t step : {5, 10}) checkpoints.save(step, write_checkpoint);
  const FolderSurvey survey = survey_folder(folder / "runs");
  ASSERT_EQ(survey.weights.size(), 1u);
  EXPECT_EQ(survey.weights[0].file, place);
  EXPECT_TRUE(survey.weights[0].dit.has_value()) << survey.weights[0].problem;
  EXPECT_FALSE(survey.weights[0].is_many_step);
  EXPECT_THAT(survey.weights[0].content, HasSubstr("checkpoint of step 10"));
  EXPECT_THAT(survey.weights[0].window, HasSubstr((place / "config.yaml").string()));
  EXPECT_EQ(survey_folder(checkpoints.folder_of(5)).weights.front().file,
            checkpoints.folder_of(5) / "generator.safetensors");

  start_run("teacher_forcing").save(5, write_checkpoint);
  EXPECT_TRUE(survey_folder(place).weights.front().is_many_step);
}

TEST_F(Surveyed, APipeIsNoWeightFile) {
  const fs::path pipe = folder / "checkpoints/pipe.pt";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const SurveyedWeights survey = survey_weights(pipe);
  EXPECT_THAT(survey.problem, HasSubstr("is not a regular file"));
  EXPECT_EQ(survey.bytes, 0u);
  EXPECT_EQ(survey_weights(student).problem, "");
}

TEST_F(Surveyed, LinksThatFormACycleListNothingTwice) {
  fs::create_directory_symlink(folder.path(), folder / "checkpoints/again");
  const FolderSurvey survey = survey_folder(folder.path());
  EXPECT_EQ(survey.wans.size(), 1u);
  EXPECT_EQ(survey.weights.size(), 1u);
}

TEST_F(Surveyed, HalfALoraIsBroken) {
  const auto survey_lora = [&](const std::vector<std::pair<std::string, std::vector<int64_t>>>& weights) {
    const std::vector<float> zeros(2 * 96);
    std::vector<OutgoingTensor> tensors;
    for (const auto& [name, shape] : weights)
      tensors.push_back(outgoing_bytes(name, DType::kF32, shape, std::as_bytes(std::span(zeros))));
    write_safetensors(folder / "lora.safetensors", tensors);
    return survey_weights(folder / "lora.safetensors");
  };
  const std::string q = "blocks.1.self_attn.q";
  const SurveyedWeights whole = survey_lora({{q + ".lora_A.weight", {2, 96}}, {q + ".lora_B.weight", {96, 2}}});
  EXPECT_EQ(whole.problem, "");
  EXPECT_THAT(whole.content, ::testing::StartsWith("LoRA: rank 2"));
  EXPECT_NE(survey_lora({{q + ".lora_A.weight", {2, 96}}}).problem, "");
}

TEST_F(Surveyed, TheConfigTellsTheRepositoryWhereTheNetworkIsMissing) {
  fs::remove(wan / "diffusion_pytorch_model.safetensors");
  testing::write_text(wan / "config.json", to_json(dit_preset("wan-14b")));
  EXPECT_THAT(part("DiT").downloads, HasSubstr("Wan-AI/Wan2.1-T2V-14B"));
  testing::write_text(wan / "config.json", to_json(dit_preset("wan-1.3b")));
  EXPECT_THAT(part("DiT").downloads, HasSubstr("Wan-AI/Wan2.1-T2V-1.3B"));
}

TEST_F(Surveyed, DownloadsQuoteTheFolder) {
  const fs::path named = folder / "it's `mine`";
  fs::rename(wan, named);
  fs::remove(named / "Wan2.1_VAE.pth");
  const WanSurvey survey = survey_wan(named);
  EXPECT_THAT(survey.parts.back().downloads, HasSubstr(R"(/it'\''s `mine`')"));
}

TEST_F(Surveyed, ABaseModelIsToldFromBareWeights) {
  EXPECT_TRUE(has_base_model(wan));
  for (const char* name : {"Wan2.1_VAE.pth", "models_t5_umt5-xxl-enc-bf16.pth"}) fs::remove(wan / name);
  fs::remove_all(wan / "google");
  EXPECT_FALSE(has_base_model(wan));
  EXPECT_TRUE(looks_like_wan_folder(wan));
  EXPECT_FALSE(looks_like_wan_folder(student.parent_path()));
}

}  // namespace
}  // namespace sgf
