// Text from outside is shown, never obeyed, by one function. tests/apps/test_say.cpp: all that is printed goes through
// it.
#include "sgf/core/printable.h"

#include "sgf/core/in_quotes.h"
#include "sgf/core/progress_line.h"
#include "sgf/core/utf8.h"
#include "tests/core/refusal.h"

#include <random>

namespace sgf {
namespace {

using testing::HasSubstr;

const std::string kTitle = "\x1b]0;owned\x07";  // sets the title of a window

TEST(Utf8, ACharacterIsAsLongAsItsLeadSaysAndNothingElseIsOne) {
  EXPECT_EQ(utf8_length("\xC3\xA9"), 2u);
  EXPECT_EQ(utf8_length("\xC0\xAF"), 0u);          // overlong
  EXPECT_EQ(utf8_length("\xED\xA0\x80"), 0u);      // surrogate
  EXPECT_EQ(utf8_length("\xF4\x90\x80\x80"), 0u);  // past U+10FFFF
  EXPECT_EQ(utf8_length("\xE2\x82"), 0u);          // cut short
  EXPECT_EQ(code_point_of("a"), U'a');
  EXPECT_EQ(code_point_of("é"), U'é');
  EXPECT_EQ(code_point_of("过"), U'过');
  EXPECT_EQ(code_point_of("😀"), U'😀');
}

TEST(Printable, ShowsTextOfEveryLanguageAsItIs) {
  for (const char* text :
       {"a plain prompt, 100 %", "grüße-日本.safetensors", "👩‍👩‍👧 می‌خواهم", "C:\\path\\x1b"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, SpellsControlsByTheirBytes) {
  EXPECT_EQ(printable(kTitle), "\\x1b]0;owned\\x07");
  EXPECT_EQ(printable("a\nb\rc\td\x7f"), "a\\x0ab\\x0dc\\x09d\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m");  // CSI as one character
}

TEST(Printable, SpellsWhatTurnsBreaksOrHidesText) {
  for (const char* mark :
       {"\u202e", "\u2066", "\u200f", "\u061c", "\u2028", "\u200b", "\u00ad", "\ufeff", "\U000e0041"})
    EXPECT_THAT(printable(std::string("a") + mark + "b"), testing::MatchesRegex("a(\\\\x[0-9a-f]{2})+b"));
}

TEST(Printable, SpellsBytesThatAreNoUtf8AndGoesOnAfterThem) {
  EXPECT_EQ(printable("caf\xe9 grün"), "caf\\xe9 grün");
  EXPECT_EQ(printable("\xc0\x9b\xed\xa0\x80"), "\\xc0\\x9b\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\x9b"), "\\x9b");  // CSI of 8-bit terminals
}

// Every byte string: nothing is left that a terminal obeys, and what was printable once stays.
TEST(Printable, LeavesNoControlOfRandomBytesAndChangesNothingTheSecondTime) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 40, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    const std::string shown = printable(text);
    EXPECT_EQ(printable(shown), shown);
    for (std::string_view rest = shown; !rest.empty(); rest.remove_prefix(utf8_length(rest))) {
      ASSERT_GT(utf8_length(rest), 0u);
      EXPECT_TRUE(is_printable(code_point_of(rest.substr(0, utf8_length(rest)))));
    }
  }
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable("日本語", 6), "日本...");
  EXPECT_EQ(printable("日本語", 7), "日本...");
  EXPECT_EQ(printable("日本語", 9), "日本語");
  EXPECT_EQ(printable(std::string(20, '\x80'), 2), "\\x80\\x80...");
}

TEST(Printable, OwnTextKeepsItsLinesAndNothingElse) {
  EXPECT_EQ(printable_lines("a: 1\nb: \x1b[31m\r\n"), "a: 1\nb: \\x1b[31m\\x0d\n");
}

TEST(InQuotes, ShowsUtf8AndCutsBetweenCharacters) {
  EXPECT_EQ(in_quotes("过曝"), "'过曝'");
  EXPECT_EQ(in_quotes(kTitle), "'\\x1b]0;owned\\x07'");
  std::string text = "a";
  for (int i = 0; i < 100; ++i) text += "过";
  const std::string shown = in_quotes(text);
  EXPECT_TRUE(shown.ends_with("过'..."));
  EXPECT_EQ(printable(shown), shown);
}

TEST(Error, IsOnePrintableLineWhateverIsInIt) {
  const auto refuse = [](const std::string& file) { return refusal_of([&] { fail("{}: is damaged", file); }); };
  EXPECT_EQ(refuse("a" + kTitle + "\nsgf: all is well"), "a\\x1b]0;owned\\x07\\x0asgf: all is well: is damaged");
  EXPECT_EQ(refuse("grüße-日本.pt"), "grüße-日本.pt: is damaged");
  EXPECT_EQ(refuse(refuse("\x1b")), "\\x1b: is damaged: is damaged");  // carried on by another
}

TEST(ProgressLine, SaysOnePrintableLine) {
  std::string text;
  ProgressLine line({.mode = ProgressMode::kLog, .total_steps = 10},
                    {.write = [&](std::string_view more) { text += more; },
                     .seconds = [] { return 0.0; },
                     .width = [] { return int64_t{80}; }});
  line.say("left out: \x1b[31mred\nsgf: all is well");
  EXPECT_EQ(text, "left out: \\x1b[31mred\\x0asgf: all is well\n");
}

}  // namespace
}  // namespace sgf
