// A tokenizer that we write is read back piece by piece, and reads any text.
#include "sgf/text/spiece_writer.h"

#include "sgf/text/tokenizer.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::HasSubstr;

TEST(SpieceWriter, EveryPieceAndSettingComesBack) {
  const testing::TemporaryFolder folder;
  SpieceModel model = plain_tokenizer(600);
  model.normalizer.remove_extra_whitespaces = false;
  model.pieces[300].kind = PieceKind::kUserDefined;
  testing::write_text(folder / "spiece.model", spiece_bytes(model));
  const SpieceModel read = read_spiece_model(folder / "spiece.model");
  ASSERT_EQ(read.pieces.size(), model.pieces.size());
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    EXPECT_EQ(read.pieces[i].text, model.pieces[i].text);
    EXPECT_EQ(read.pieces[i].score, model.pieces[i].score);
    EXPECT_EQ(read.pieces[i].kind, model.pieces[i].kind);
  }
  EXPECT_TRUE(read.byte_fallback);
  EXPECT_FALSE(read.normalizer.remove_extra_whitespaces);
  EXPECT_TRUE(read.normalizer.add_dummy_prefix);
}

TEST(SpieceWriter, ThePlainTokenizerSpellsWhatItDoesNotKnow) {
  const testing::TemporaryFolder folder;
  testing::write_text(folder / "spiece.model", spiece_bytes(plain_tokenizer(512)));
  const Tokenizer tokenizer(folder / "spiece.model");
  const auto pieces = [&](const std::string& text) {
    std::string all;
    for (const int64_t id : tokenizer.encode(text, 100).ids) all += tokenizer.piece(id) + "|";
    return all;
  };
  EXPECT_EQ(pieces("a red dog"), "▁a|▁red|▁dog|</s>|");
  EXPECT_EQ(pieces("zq"), "▁|z|q|</s>|");
  EXPECT_EQ(pieces("é"), "▁|<0xC3>|<0xA9>|</s>|");
}

TEST(SpieceWriter, APlainTokenizerHasRoomForItsFirstPieces) {
  EXPECT_THAT(refusal_of([] { plain_tokenizer(511); }), HasSubstr("at least 512 pieces, got 511"));
}

}  // namespace
}  // namespace sgf
