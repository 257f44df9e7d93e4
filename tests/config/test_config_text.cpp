// Names and spellings under the config: suggestions for typos, and YAML text that reads back as it was.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "sgf/config/config_tree.h"
#include "sgf/config/config_value.h"
#include "sgf/config/yaml_text.h"
#include "sgf/core/enum_names.h"
#include "sgf/core/nearest_name.h"
#include "tests/core/refusal.h"

namespace sgf {
namespace {

template <class T>
T read_back(const std::string& yaml) {
  T value{};
  const ConfigNode tree = parse_yaml("key: " + yaml + "\n", {.source = "t.yaml", .line = 1, .column = 1});
  ConfigValue<T>::read(*tree.find("key"), "key", value);
  return value;
}

template <class T>
void expect_round_trip(const T& value) {
  const std::string spelled = ConfigValue<T>::write(value);
  const T back = read_back<T>(spelled);
  EXPECT_EQ(back, value) << spelled;
  EXPECT_EQ(ConfigValue<T>::write(back), spelled);
}

void append_utf8(std::string& text, uint32_t point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += {static_cast<char>(0xC0 | (point >> 6)), static_cast<char>(0x80 | (point & 0x3F))};
  } else if (point < 0x10000) {
    text += {static_cast<char>(0xE0 | (point >> 12)), static_cast<char>(0x80 | ((point >> 6) & 0x3F)),
             static_cast<char>(0x80 | (point & 0x3F))};
  } else {
    text += {static_cast<char>(0xF0 | (point >> 18)), static_cast<char>(0x80 | ((point >> 12) & 0x3F)),
             static_cast<char>(0x80 | ((point >> 6) & 0x3F)), static_cast<char>(0x80 | (point & 0x3F))};
  }
}

// Mostly what YAML gives a meaning, some of everything else.
uint32_t draw_code_point(std::mt19937_64& random) {
  constexpr std::array<uint32_t, 4> kEnds = {0x80, 0x100, 0x3000, 0x110000};
  const uint32_t point = static_cast<uint32_t>(random()) % kEnds[random() % kEnds.size()];
  const bool is_surrogate = point >= 0xD800 && point < 0xE000;
  return is_surrogate ? 'x' : point;
}

TEST(NearestName, CountsASwapOfNeighboursAsOneEdit) {
  EXPECT_EQ(edit_distance("dim", "dmi"), 1);
  EXPECT_EQ(edit_distance("dim", "mid"), 2);  // no neighbours
}

TEST(NearestName, DistanceIsSymmetricAndZeroOnlyForEqualNames) {
  EXPECT_EQ(edit_distance("sink_frames", "sink_frames"), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("fifo_frame", "sink_frames"), edit_distance("sink_frames", "fifo_frame"));
}

TEST(NearestName, FindsTheTypoAndNothingForAStranger) {
  const std::vector<std::string> known = {"dim", "ffn_dim", "num_heads"};
  EXPECT_EQ(nearest_name("num_haeds", known), "num_heads");
  EXPECT_EQ(nearest_name("colour", known), std::nullopt);
  EXPECT_EQ(nearest_name("", known), std::nullopt);
}

TEST(ConfigText, AwkwardStringsReadBackAsTheyWere) {
  const std::vector<std::string> awkward = {"",
                                            "1.0",
                                            "yes",
                                            "No",
                                            "null",
                                            "~",
                                            "true",
                                            "# no comment",
                                            " leading",
                                            "trailing ",
                                            "a: b",
                                            "- item",
                                            "'",
                                            "\"",
                                            "\\",
                                            "a\nb",
                                            "\n",
                                            "\t",
                                            "\r\n",
                                            "色调艳丽",
                                            "😀",
                                            "\u0085",
                                            "\u2028",
                                            "\uFEFF",
                                            "&a",
                                            "*a",
                                            "!t",
                                            "%",
                                            "@",
                                            "`",
                                            "{}",
                                            "[1, 2]",
                                            "a, b",
                                            "---",
                                            "...",
                                            "? x",
                                            "0x10",
                                            "1e3",
                                            ".nan",
                                            "a #b",
                                            "a#b",
                                            "a  b",
                                            "y",
                                            "<<",
                                            "=",
                                            "|",
                                            ">",
                                            "\x01\x04\x7f",
                                            std::string("nul\0inside", 10)};
  for (const std::string& text : awkward) expect_round_trip(text);
  expect_round_trip(awkward);  // as a list, where commas and brackets count too
}

TEST(ConfigText, RandomStringsReadBackAsTheyWere) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (uint64_t length = random() % 12; length > 0; --length) append_utf8(text, draw_code_point(random));
    expect_round_trip(text);
  }
}

TEST(ConfigText, OrdinaryWordsStayPlainAndChineseStaysReadable) {
  EXPECT_EQ(spell_text("Wan2.1-T2V-1.3B at 480x832"), "Wan2.1-T2V-1.3B at 480x832");
  EXPECT_EQ(spell_text("过曝"), "\"过曝\"");
  EXPECT_EQ(spell_text("Yes"), "\"Yes\"");
}

// Other readers fold or drop these; yaml-cpp alone would pass them through.
TEST(ConfigText, UnicodeLineBreaksAndMarksAreEscaped) {
  EXPECT_EQ(spell_text("a\u2028\u2029\uFEFF\u0085"), R"("a\u2028\u2029\uFEFF\x85")");
  EXPECT_EQ(spell_text("a\u202E\U000E0041\x1b"), R"("a\u202E\U000E0041\x1B")");
  EXPECT_EQ(read_back<std::string>(spell_text("a\u202E\U000E0041\x1b")), "a\u202E\U000E0041\x1b");
}

TEST(ConfigText, TextThatIsNotUtf8IsRefused) {
  EXPECT_THAT(refusal_of([] { spell_text("caf\xE9"); }), testing::HasSubstr("must be UTF-8, got byte 0xE9"));
}

TEST(ConfigText, AwkwardNumbersReadBackAsTheyWere) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, 0.1, 1e-6, 5.0, 1e22, 1e23, 1.0 / 3, -2.5e-300, Limits::max(), Limits::min(),
                             Limits::denorm_min(), Limits::epsilon(), 123456789012345680.0}) {
    expect_round_trip(value);
    expect_round_trip(-value);
  }
  EXPECT_TRUE(std::signbit(read_back<double>(spell_number(-0.0))));
}

TEST(ConfigText, RandomNumbersReadBackAsTheyWere) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) expect_round_trip(value);
    expect_round_trip(std::bit_cast<int64_t>(random()));
  }
}

// PyYAML reads 1e-06 as text and 5 as an integer.
TEST(ConfigText, NumbersAlwaysCarryAPoint) {
  EXPECT_EQ(spell_number(1e-6), "1.0e-06");
  EXPECT_EQ(spell_number(5), "5.0");
  EXPECT_EQ(spell_number(0.1), "0.1");
}

TEST(ConfigText, NumbersThatAreNotFiniteAreRefused) {
  EXPECT_THAT(refusal_of([] { spell_number(std::nan("")); }), testing::HasSubstr("must be finite, got nan"));
  EXPECT_THAT(refusal_of([] { spell_number(INFINITY); }), testing::HasSubstr("must be finite, got inf"));
}

enum class Flavour { kSweet, kSour };
constexpr auto enum_names(Flavour) {
  return std::array{EnumName{Flavour::kSweet, "sweet"}, EnumName{Flavour::kSour, "sour"}};
}

TEST(EnumNames, EveryValueHasANameAndBack) {
  EXPECT_EQ(enum_name(Flavour::kSour), "sour");
  EXPECT_EQ(enum_from_name<Flavour>("sweet"), Flavour::kSweet);
  EXPECT_EQ(enum_from_name<Flavour>("bitter"), std::nullopt);
  EXPECT_EQ(all_enum_names<Flavour>(), "sweet, sour");
}

}  // namespace
}  // namespace sgf
