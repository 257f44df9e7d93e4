#include "sgf/core/terminal_columns.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

TEST(TerminalColumns, AreOnePerCharacterOfMostScripts) {
  EXPECT_EQ(terminal_columns(""), 0u);
  EXPECT_EQ(terminal_columns("a cat"), 5u);
  EXPECT_EQ(terminal_columns("Café Панда"), 10u);
}

TEST(TerminalColumns, AreTwoPerWideCharacter) {
  EXPECT_EQ(terminal_columns("一只熊猫"), 8u);
  EXPECT_EQ(terminal_columns("パンダ 판다"), 11u);
  EXPECT_EQ(terminal_columns("🐼"), 2u);
}

TEST(TerminalColumns, MarksThatCombineTakeNone) { EXPECT_EQ(terminal_columns("e\u0301"), 1u); }

}  // namespace
}  // namespace sgf
