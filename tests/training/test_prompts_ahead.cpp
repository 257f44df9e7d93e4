// Prompts of a file are encoded before the first step: afterwards a run needs no text encoder.
#include "sgf/assembly/start_file.h"
#include "sgf/text/cached_prompt_encoder.h"
#include "sgf/text/wan_text_encoder.h"
#include "sgf/training/build_stage.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/small_run.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace sgf::testing {
namespace {

// How often encoders were made, how many there are now, and what they encoded.
struct EncoderUse {
  int made = 0;
  int alive = 0;
  std::vector<std::string> prompts;
};

class WatchedEncoder final : public PromptEncoder {
 public:
  WatchedEncoder(const DitConfig& model, EncoderUse& use) : model_(model), use_(use) { ++use_.made, ++use_.alive; }
  ~WatchedEncoder() override { --use_.alive; }
  WatchedEncoder(const WatchedEncoder&) = delete;
  WatchedEncoder& operator=(const WatchedEncoder&) = delete;

  int64_t text_len() const override { return model_.text_len; }
  int64_t text_dim() const override { return model_.text_dim; }
  std::vector<EncodedPrompt> encode(const std::vector<std::string>& cleaned) const override {
    std::vector<EncodedPrompt> encoded;
    for (const std::string& prompt : cleaned) {
      use_.prompts.push_back(prompt);
      encoded.push_back({.rows = at::full({1, text_dim()}, 0.01 * static_cast<double>(prompt.size()))});
    }
    return encoded;
  }

 private:
  DitConfig model_;
  EncoderUse& use_;
};

class PromptsAhead : public ::testing::Test {
 protected:
  void SetUp() override {
    Config teacher = small_run(StageChoice::kFlowMatching, 1);
    train(teacher, folder_ / "teacher");
    config_ = small_run(StageChoice::kDmd, 4);
    config_.train.start_from = config_.dmd.teacher = find_start_file(folder_ / "teacher").path.string();
    config_.data.world.clear();
    config_.data.prompts = (folder_ / "prompts.txt").string();
    config_.negative_prompt = "nothing";
    std::ofstream file(config_.data.prompts);
    for (int i = 0; i < 40; ++i) file << "prompt " << i << "\n";
  }

  Conditioning around() {
    const EmbeddingSource source{
        .encoder = "e", .tokenizer = "t", .text_len = config_.model.text_len, .dtype = "float32", .device = "cpu"};
    auto cached =
        std::make_unique<CachedPromptEncoder>(source, config_.model.text_dim, EmbeddingCache(folder_ / "cache"),
                                              [this] { return std::make_unique<WatchedEncoder>(config_.model, use_); });
    return {.text = std::make_shared<WanTextEncoder>(std::move(cached), at::TensorOptions(at::kFloat)),
            .codec = nullptr,
            .sample_prompts = {"prompt 3", "a sample"}};
  }

  void take_steps(const Conditioning& conditioning) {
    const std::unique_ptr<Stage> stage = build_stage(config_, conditioning, at::kCPU);
    for (int64_t step = 0; step < config_.train.steps; ++step) stage->step(step);
    conditioning.text->encode(conditioning.sample_prompts);
  }

  TemporaryFolder folder_;
  Config config_;
  EncoderUse use_;
};

TEST_F(PromptsAhead, NoStepCallsTheEncoderAndItIsFreed) {
  const Conditioning conditioning = around();
  const std::vector<std::string> prompts =
      prompts_of_steps(config_, conditioning, Ranks::alone(), 0, config_.train.steps);
  conditioning.text->encode_ahead(prompts, {});
  EXPECT_EQ(use_.made, 1);
  EXPECT_EQ(use_.alive, 0);
  EXPECT_EQ(use_.prompts.size(), prompts.size());
  take_steps(conditioning);
  EXPECT_EQ(use_.made, 1);
  EXPECT_EQ(use_.prompts.size(), prompts.size());
}

TEST_F(PromptsAhead, WithoutThemEveryStepNeedsTheEncoder) {  // the control
  take_steps(around());
  EXPECT_EQ(use_.made, 1);
  EXPECT_GT(use_.prompts.size(), 10u);
  EXPECT_TRUE(std::ranges::count(use_.prompts, "nothing") == 1);
}

TEST_F(PromptsAhead, AreThoseOfTheStepsAndNoOthers) {
  take_steps(around());
  const std::vector<std::string> ahead = prompts_of_steps(config_, around(), Ranks::alone(), 0, config_.train.steps);
  EXPECT_EQ(std::set<std::string>(ahead.begin(), ahead.end()),
            std::set<std::string>(use_.prompts.begin(), use_.prompts.end()));
  EXPECT_EQ(std::set<std::string>(ahead.begin(), ahead.end()).size(), ahead.size()) << "each once";
  EXPECT_LT(prompts_of_steps(config_, around(), Ranks::alone(), 3, 4).size(), ahead.size());
  config_.data.prompts.clear();
  EXPECT_TRUE(prompts_of_steps(config_, around(), Ranks::alone(), 0, 4).empty());
}

}  // namespace
}  // namespace sgf::testing
