// The commands that `sgf doctor` offers fit the files that it found. The program's test runs them.
#include "sgf/assembly/folder_advice.h"

#include "sgf/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

WanSurvey wan_of(const std::string& folder, const std::string& preset, int64_t text_dim) {
  WanSurvey survey{.folder = folder};
  for (const char* name : {"DiT", "text encoder", "tokenizer", "VAE"})
    survey.parts.push_back({.name = name, .file = folder, .state = PartState::kComplete});
  survey.dit = dit_preset(preset);
  survey.dit->text_dim = text_dim;
  survey.text_dim = text_dim;
  return survey;
}

SurveyedWeights weights_of(const std::string& file, const std::string& preset, const std::string& config) {
  SurveyedWeights weights{.file = file};
  weights.dit = dit_preset(preset);
  weights.config = config;
  if (config.empty()) weights.choices = {"--config wan-1.3b-chunkwise"};
  return weights;
}

std::string command_of(const FolderAdvice& advice, const std::string& name) {
  for (const std::string& command : advice.can)
    if (command.starts_with("sgf " + name + " ")) return command;
  return "";
}

const WanSurvey kSmall = wan_of("w/1.3B", "wan-1.3b", 4096), kLarge = wan_of("w/14B", "wan-14b", 4096);

TEST(FolderAdvice, CommandsNameAPresetOfTheSizeAndTheWindow) {
  FolderSurvey survey{.wans = {kSmall}, .weights = {weights_of("s.pt", "wan-1.3b", "wan-1.3b-framewise")}};
  EXPECT_THAT(command_of(advise(survey), "generate"),
              AllOf(HasSubstr("--model s.pt --wan w/1.3B"), Not(HasSubstr("--size"))));
  EXPECT_THAT(
      command_of(advise(survey), "train"),
      AllOf(HasSubstr("sgf train wan-1.3b-framewise "), HasSubstr("dmd.teacher=w/1.3B"), Not(HasSubstr("dmd.critic"))));
  survey.weights[0].config = "causal-forcing-chunkwise";
  EXPECT_THAT(command_of(advise(survey), "train"), HasSubstr("sgf train wan-1.3b-chunkwise "));
  survey.weights[0] = weights_of("s.pt", "wan-14b", "wan-14b-chunkwise");
  survey.wans = {kLarge};
  EXPECT_THAT(command_of(advise(survey), "train"), HasSubstr("sgf train wan-14b-chunkwise "));
}

TEST(FolderAdvice, ALargerTeacherComesWithACriticOfTheStudentsSize) {
  FolderSurvey survey{.wans = {kSmall, kLarge}, .weights = {weights_of("s.pt", "wan-1.3b", "wan-1.3b-chunkwise")}};
  EXPECT_THAT(command_of(advise(survey), "train"),
              AllOf(HasSubstr("dmd.teacher=w/14B"), HasSubstr("dmd.critic=w/1.3B")));
  survey.wans = {kLarge};
  EXPECT_EQ(command_of(advise(survey), "train"), "");
  EXPECT_THAT(advise(survey).cannot, ElementsAre(HasSubstr("needs a critic of the size of s.pt")));
}

TEST(FolderAdvice, AFolderWhoseEmbeddingsTheNetworkDoesNotReadIsPassedOver) {
  const WanSurvey rehearsal = wan_of("w/0", "wan-1.3b", 64);
  FolderSurvey survey{.wans = {rehearsal, kSmall}, .weights = {weights_of("s.pt", "wan-1.3b", "wan-1.3b-chunkwise")}};
  EXPECT_THAT(command_of(advise(survey), "generate"), HasSubstr("--wan w/1.3B"));
  EXPECT_THAT(command_of(advise(survey), "train"), AllOf(HasSubstr("data.wan=w/1.3B"), Not(HasSubstr("w/0"))));
  survey.wans = {rehearsal};
  EXPECT_EQ(command_of(advise(survey), "generate"), "");
  EXPECT_THAT(advise(survey).cannot.front(), HasSubstr("embeddings of width 4096"));
}

TEST(FolderAdvice, WithoutAWindowNothingIsGuessed) {
  FolderSurvey survey{.wans = {kSmall}, .weights = {weights_of("bare.pt", "wan-1.3b", "")}};
  EXPECT_EQ(command_of(advise(survey), "generate") + command_of(advise(survey), "train"), "");
  EXPECT_THAT(advise(survey).cannot.front(), AllOf(HasSubstr("--config"), HasSubstr("--model bare.pt --wan w/1.3B")));
  survey.weights.push_back(weights_of("known.pt", "wan-1.3b", "self-forcing"));
  EXPECT_THAT(command_of(advise(survey), "generate"), HasSubstr("--model known.pt"));
}

TEST(FolderAdvice, AModelOfAWorldNeedsNoWanFolder) {
  FolderSurvey survey{.weights = {weights_of("runs/world", "tiny", "runs/world/config.yaml")}};
  survey.weights[0].dit->in_dim = survey.weights[0].dit->out_dim = 12;  // channels of a world's latents
  EXPECT_THAT(advise(survey).can, ElementsAre("sgf generate --model runs/world"));
}

TEST(FolderAdvice, ABrokenFileIsNotUsed) {
  FolderSurvey survey{.wans = {kSmall}, .weights = {weights_of("s.pt", "wan-1.3b", "wan-1.3b-chunkwise")}};
  survey.weights[0].problem = "s.pt: is cut short";
  EXPECT_EQ(command_of(advise(survey), "generate") + command_of(advise(survey), "train"), "");
}

}  // namespace
}  // namespace sgf
