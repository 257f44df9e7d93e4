// Ids as the real SentencePiece gives them, cut with the end kept; refusals of files that are no model.
#include "sgf/text/tokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

namespace sgf {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kText = std::filesystem::path(SGF_TEST_DATA) / "text";
const std::filesystem::path kModel = kText / "tiny_unigram.model";
constexpr int64_t kNoLimit = 1'000'000;

void expect_ids(const std::filesystem::path& cases, const std::filesystem::path& model) {
  std::ifstream file(cases);
  const nlohmann::json recorded = nlohmann::json::parse(file);
  ASSERT_GE(recorded.at("cases").size(), 5u);
  const Tokenizer tokenizer(model);
  for (const nlohmann::json& one : recorded.at("cases")) {
    const Tokens tokens = tokenizer.encode(one.at("text").get<std::string>(), kNoLimit);
    EXPECT_EQ(tokens.ids, one.at("ids").get<std::vector<int64_t>>()) << one.at("text");
    EXPECT_EQ(tokens.cut, 0);
  }
}

TEST(Tokenizer, GivesTheRecordedIds) { expect_ids(kText / "tiny_unigram.json", kModel); }

TEST(Tokenizer, GivesTheIdsOfAModelWithoutBytesWithSymbolsOfTheUsers) {
  expect_ids(kText / "plain_unigram.json", kText / "plain_unigram.model");
}

// FILE.json of such cases beside FILE.model.
TEST(Tokenizer, GivesTheIdsOfFurtherCases) {
  const char* further = std::getenv("SGF_TOKENIZER_CASES");
  if (further == nullptr) GTEST_SKIP() << "SGF_TOKENIZER_CASES names no file of further cases";
  expect_ids(further, std::filesystem::path(further).replace_extension(".model"));
}

TEST(Tokenizer, CutsToTheLimitKeepsTheEndAndSaysHowMuchWent) {
  const Tokenizer tokenizer(kModel);
  const Tokens whole = tokenizer.encode("a red panda rides a bicycle", kNoLimit);
  const auto size = static_cast<int64_t>(whole.ids.size());
  EXPECT_EQ(tokenizer.encode("a red panda rides a bicycle", size), whole);
  const Tokens cut = tokenizer.encode("a red panda rides a bicycle", 4);
  EXPECT_EQ(cut.ids, (std::vector<int64_t>{whole.ids[0], whole.ids[1], whole.ids[2], kEndId}));
  EXPECT_EQ(cut.cut, size - 4);
  EXPECT_EQ(tokenizer.encode("x", 1).ids, std::vector<int64_t>{kEndId});
  EXPECT_THAT(refusal_of([&] { tokenizer.encode("x", 0); }), HasSubstr("at least 1"));
}

TEST(Tokenizer, SymbolsInAPromptAreLetters) {
  const Tokenizer tokenizer(kModel);
  const std::vector<int64_t> ids = tokenizer.encode("</s>", kNoLimit).ids;
  EXPECT_GT(ids.size(), 2u);
  EXPECT_EQ(std::ranges::count(ids, kEndId), 1);
}

TEST(Tokenizer, KnowsItsPieces) {
  const Tokenizer tokenizer(kModel);
  EXPECT_EQ(tokenizer.vocabulary(), 600);
  EXPECT_EQ(tokenizer.piece(kEndId), "</s>");
  EXPECT_THAT(refusal_of([&] { tokenizer.piece(600); }), HasSubstr("0 to 599"));
}

TEST(Tokenizer, RefusesWhatIsNoModel) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { Tokenizer{folder / "spiece.model"}; }), HasSubstr("spiece.model"));
  std::ofstream(folder / "spiece.model") << "version https://git-lfs.github.com/spec/v1";
  EXPECT_THAT(refusal_of([&] { Tokenizer{folder / "spiece.model"}; }),
              HasSubstr("is not a complete SentencePiece model"));
  std::ofstream(folder / "empty.model");
  EXPECT_THAT(refusal_of([&] { Tokenizer{folder / "empty.model"}; }), HasSubstr("empty.model"));
  std::ifstream whole(kModel, std::ios::binary);
  std::string half(100'000, '\0');
  whole.read(half.data(), static_cast<int64_t>(half.size()));
  std::ofstream(folder / "half.model", std::ios::binary) << half;
  EXPECT_THAT(refusal_of([&] { Tokenizer{folder / "half.model"}; }), HasSubstr("half.model"));
}

// Whatever a damaged model still says, its ids are ids.
TEST(Tokenizer, DamagedModelsAreRefusedOrRead) {
  const testing::TemporaryFolder folder;
  std::ifstream whole(kModel, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  int64_t refused = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    std::string damaged = bytes;
    damaged[i * 7919 % (i % 2 == 0 ? 600 : bytes.size())] ^= static_cast<char>(1 + i % 255);
    std::ofstream(folder / "damaged.model", std::ios::binary) << damaged;
    try {
      const Tokenizer tokenizer(folder / "damaged.model");
      for (const int64_t id : tokenizer.encode("a red panda, ﬁ ½ 中 🐼", kNoLimit).ids) tokenizer.piece(id);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace sgf
