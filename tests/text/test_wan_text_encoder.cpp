// From a prompt to padded rows, with a tokenizer and an encoder as in a Wan folder; and the cache on the way.
#include "sgf/text/wan_text_encoder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include "sgf/files/tensors.h"
#include "sgf/files/weight_identity.h"
#include "sgf/text/cached_prompt_encoder.h"
#include "sgf/text/tokenizer.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

namespace sgf {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kText = std::filesystem::path(SGF_TEST_DATA) / "text";

// An encoder that counts its calls: every prompt is one row of its length.
class CountingEncoder final : public PromptEncoder {
 public:
  explicit CountingEncoder(int& prompts) : prompts_(prompts) {}
  int64_t text_len() const override { return 8; }
  int64_t text_dim() const override { return 3; }
  std::vector<EncodedPrompt> encode(const std::vector<std::string>& cleaned) const override {
    std::vector<EncodedPrompt> encoded;
    for (const std::string& prompt : cleaned) {
      encoded.push_back({.rows = at::full({2, 3}, static_cast<double>(prompt.size())), .cut = 5});
    }
    prompts_ += static_cast<int>(cleaned.size());
    return encoded;
  }

 private:
  int& prompts_;
};

class EmbeddingCacheTest : public ::testing::Test {
 protected:
  CachedPromptEncoder opened(const EmbeddingSource& source = kSource) {
    return CachedPromptEncoder(source, 3,
                               EmbeddingCache(folder_ / "prompts", [this](auto& line) { warnings_.push_back(line); }),
                               [this] { return std::make_unique<CountingEncoder>(encoded_); });
  }

  std::filesystem::path only_entry() { return std::filesystem::directory_iterator(folder_ / "prompts")->path(); }

  static inline const EmbeddingSource kSource{
      .encoder = "e", .tokenizer = "t", .text_len = 8, .dtype = "float32", .device = "cpu"};
  testing::TemporaryFolder folder_;
  std::vector<std::string> warnings_;
  int encoded_ = 0;
};

TEST_F(EmbeddingCacheTest, ASecondRunNeverOpensTheEncoder) {
  const std::vector<EncodedPrompt> first = opened().encode({"a cat", "a dog!", "a cat"});
  EXPECT_EQ(encoded_, 2);  // the same prompt twice is one
  const CachedPromptEncoder again = opened();
  const std::vector<EncodedPrompt> second = again.encode({"a cat", "a dog!", "a cat"});
  EXPECT_EQ(encoded_, 2);
  EXPECT_FALSE(again.was_opened());
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(at::equal(first[i].rows, second[i].rows));
    EXPECT_EQ(second[i].cut, 5);
  }
  EXPECT_TRUE(warnings_.empty());
  EXPECT_TRUE(again.holds("a cat"));
  EXPECT_FALSE(again.holds("a bird"));
}

TEST_F(EmbeddingCacheTest, AReadOnlyCacheIsReadAndNotAddedTo) {
  const auto read_only = [&] {
    return CachedPromptEncoder(kSource, 3, EmbeddingCache(folder_ / "prompts", {}, EmbeddingCache::Use::kReadOnly),
                               [this] { return std::make_unique<CountingEncoder>(encoded_); });
  };
  read_only().encode({"a cat"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "prompts"));
  opened().encode({"a cat"});
  EXPECT_EQ(encoded_, 2);
  read_only().encode({"a cat"});
  EXPECT_EQ(encoded_, 2);
}

TEST_F(EmbeddingCacheTest, AnotherEncoderTokenizerLengthDtypeOrDeviceIsAnotherEntry) {
  opened().encode({"a cat"});
  std::vector<EmbeddingSource> others(5, kSource);
  others[0].encoder = "f";
  others[1].tokenizer = "u";
  others[2].text_len = 4;
  others[3].dtype = "bfloat16";
  others[4].device = "cuda";
  for (const EmbeddingSource& other : others) EXPECT_FALSE(opened(other).holds("a cat"));
  EXPECT_TRUE(opened().holds("a cat"));
}

TEST_F(EmbeddingCacheTest, ADamagedEntryIsSaidAndEncodedAgain) {
  opened().encode({"a cat"});
  std::fstream file(only_entry(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end).put('\x7f');  // the last number
  file.close();
  EXPECT_EQ(opened().encode({"a cat"})[0].rows[1][2].item<float>(), 5);
  EXPECT_EQ(encoded_, 2);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("computed again"));
  opened().encode({"a cat"});
  EXPECT_EQ(encoded_, 2);  // and written anew
}

TEST_F(EmbeddingCacheTest, AnEntryCutShortIsSaidAndEncodedAgain) {
  opened().encode({"a cat"});
  std::filesystem::resize_file(only_entry(), 20);
  opened().encode({"a cat"});
  EXPECT_EQ(encoded_, 2);
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(EmbeddingCacheTest, AFolderThatCannotBeWrittenIsAWarning) {
  std::ofstream(folder_ / "prompts") << "a file where the folder should be";
  EXPECT_EQ(opened().encode({"a cat"})[0].rows.size(0), 2);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("could not be stored"));
}

TEST_F(EmbeddingCacheTest, PromptsEncodedAheadNeedNoEncoderAfterwards) {
  const CachedPromptEncoder encoder = opened();
  encoder.encode({"a cat"});
  std::vector<std::pair<int64_t, int64_t>> seen;
  encoder.encode_ahead({"a dog!", "a cat", "a dog!", "a bird"},
                       [&](int64_t done, int64_t all) { seen.emplace_back(done, all); });
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int64_t>>{{0, 2}, {2, 2}})) << "once each, and not the known one";
  EXPECT_EQ(encoded_, 3);
  EXPECT_FALSE(encoder.was_opened()) << "the encoder is freed";
  EXPECT_EQ(encoder.encode({"a bird"})[0].rows[0][0].item<double>(), 6);
  EXPECT_FALSE(encoder.was_opened());
  encoder.encode({"a whale"});  // the control: a prompt that was not named brings it back
  EXPECT_TRUE(encoder.was_opened());
  EXPECT_EQ(encoded_, 4);
}

TEST_F(EmbeddingCacheTest, ManyPromptsAheadGoThroughTheEncoderInParts) {
  std::vector<std::string> prompts;
  for (int i = 0; i < 150; ++i) prompts.push_back(std::string(static_cast<size_t>(i) + 1, 'a'));
  std::vector<int64_t> seen;
  opened().encode_ahead(prompts, [&](int64_t done, int64_t) { seen.push_back(done); });
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 64, 128, 150}));
  EXPECT_EQ(encoded_, 150);
  EXPECT_TRUE(opened().holds(prompts.back()));
}

TEST_F(EmbeddingCacheTest, WhatTheDiskDoesNotTakeStaysInMemory) {
  std::ofstream(folder_ / "prompts") << "a file where the folder should be";
  const CachedPromptEncoder encoder = opened();
  encoder.encode_ahead({"a cat"}, {});
  encoder.encode({"a cat", "a cat"});
  EXPECT_EQ(encoded_, 1);
  EXPECT_FALSE(encoder.was_opened());
  encoder.encode({"a dog!"});  // the control: not ahead, not kept
  encoder.encode({"a dog!"});
  EXPECT_EQ(encoded_, 3);
}

TEST(EmbeddingFolder, FollowsTheEnvironment) {
  const auto saved = [](const char* name) { return std::getenv(name) ? std::string(std::getenv(name)) : ""; };
  const std::string cache = saved("XDG_CACHE_HOME"), home = saved("HOME");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(default_embedding_folder(), "/x/sgf/prompts");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/h", 1);
  EXPECT_EQ(default_embedding_folder(), "/h/.cache/sgf/prompts");
  setenv("HOME", home.c_str(), 1);
  if (!cache.empty()) setenv("XDG_CACHE_HOME", cache.c_str(), 1);
}

TEST(WeightIdentity, IsTheContentsAndNotTheContainers) {
  const testing::TemporaryFolder folder;
  const TensorFile torch_file = open_tensor_file(kText / "tiny_umt5.pth");
  NamedTensors tensors;
  for (const TensorEntry& entry : torch_file.entries) {
    tensors.emplace_back(entry.name, map_tensor(torch_file, entry).clone());
  }
  save_tensors(folder / "same.safetensors", tensors, {{"note", "another container"}});
  EXPECT_EQ(weight_identity(open_tensor_file(folder / "same.safetensors")), weight_identity(torch_file));
  tensors[5].second.mul_(1.1);
  save_tensors(folder / "other.safetensors", tensors, {});
  EXPECT_NE(weight_identity(open_tensor_file(folder / "other.safetensors")), weight_identity(torch_file));
}

class WanTextEncoderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(kText / "tiny_umt5.json");
    cases_ = nlohmann::json::parse(file).at("cases");
    for (const auto& one : cases_) prompts_.push_back(one.at("prompt"));
  }

  WanTextSettings settings(int64_t text_len = 64) {
    return {.encoder = kText / "tiny_umt5.pth",
            .tokenizer = kText / "tiny_unigram.model",
            .text_len = text_len,
            .options = at::TensorOptions(at::kDouble),
            .cache = folder_.path(),
            .warn = [this](const std::string& line) { warnings_.push_back(line); }};
  }

  nlohmann::json cases_;
  std::vector<std::string> prompts_;
  testing::TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(WanTextEncoderTest, GivesTheRecordedRowsAndZerosAfterThem) {
  const auto encoder = open_wan_text_encoder(settings());
  const at::Tensor encoded = encoder->encode(prompts_);
  EXPECT_EQ(encoded.sizes(), (std::vector<int64_t>{static_cast<int64_t>(prompts_.size()), 64, 32}));
  for (size_t i = 0; i < cases_.size(); ++i) {
    const auto rows = cases_[i].at("rows").get<std::vector<std::vector<double>>>();
    const at::Tensor one = encoded[static_cast<int64_t>(i)];
    for (size_t row = 0; row < rows.size(); ++row) {
      EXPECT_TRUE(at::allclose(one[static_cast<int64_t>(row)], at::tensor(rows[row], at::kDouble), 1e-10, 1e-10));
    }
    EXPECT_EQ(one.slice(0, static_cast<int64_t>(rows.size())).abs().max().item<double>(), 0);
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(WanTextEncoderTest, ACachedPromptHasTheSameBits) {
  const at::Tensor fresh = open_wan_text_encoder(settings())->encode(prompts_);
  EXPECT_TRUE(at::equal(open_wan_text_encoder(settings())->encode(prompts_), fresh));
  WanTextSettings without = settings();
  without.cache.reset();
  EXPECT_TRUE(at::equal(open_wan_text_encoder(without)->encode(prompts_), fresh));
}

TEST_F(WanTextEncoderTest, AnEmptyPromptIsItsEndAlone) {
  const at::Tensor rows = open_wan_text_encoder(settings())->encode({""})[0];
  EXPECT_GT(rows[0].norm().item<double>(), 0);
  EXPECT_EQ(rows.slice(0, 1).abs().max().item<double>(), 0);
}

TEST_F(WanTextEncoderTest, ALongPromptIsCutAndHowMuchIsSaidFromTheCacheToo) {
  const auto tokens = static_cast<int64_t>(cases_[0].at("ids").size());
  for (int run = 0; run < 2; ++run) {
    warnings_.clear();
    const at::Tensor rows = open_wan_text_encoder(settings(8))->encode({prompts_[0]});
    EXPECT_EQ(rows.size(1), 8);
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_THAT(warnings_[0], HasSubstr(fmt::format("its last {} tokens exceed the limit of 8", tokens - 8)));
  }
}

TEST_F(WanTextEncoderTest, FilesThatAreNotThereAreNamed) {
  WanTextSettings missing = settings();
  missing.tokenizer = folder_ / "spiece.model";
  EXPECT_THAT(refusal_of([&] { open_wan_text_encoder(missing); }), HasSubstr("spiece.model"));
  missing = settings();
  missing.encoder = folder_ / "t5.pth";
  EXPECT_THAT(refusal_of([&] { open_wan_text_encoder(missing); }), HasSubstr("t5.pth"));
}

}  // namespace
}  // namespace sgf
