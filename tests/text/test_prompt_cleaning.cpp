// Prompts come out as Wan's own cleaning leaves them: recorded cases of the real ftfy, and of the parts on their own.
#include "sgf/text/prompt_cleaning.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

#include "sgf/text/code_points.h"
#include "sgf/text/html_unescape.h"
#include "sgf/text/mojibake_signs.h"
#include "sgf/text/nfc.h"

namespace sgf {
namespace {

nlohmann::json recorded_cases(const std::string& path, const char* list = "cases") {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return nlohmann::json::parse(file).at(list);
}

void expect_recorded(const std::string& path) {
  int64_t wrong = 0;
  for (const nlohmann::json& one : recorded_cases(path)) {
    const std::string text = one.at("text"), cleaned = clean_prompt(text);
    if (cleaned == one.at("cleaned").get<std::string>()) continue;
    if (++wrong <= 20)
      ADD_FAILURE() << one.dump(-1, ' ', true) << " became " << nlohmann::json(cleaned).dump(-1, ' ', true);
  }
  EXPECT_EQ(wrong, 0);
}

const std::string kRecorded = std::string(SGF_TEST_DATA) + "/text/prompt_cleaning.json";

TEST(PromptCleaning, EqualsTheRecordedCasesOfFtfy) {
  EXPECT_GE(recorded_cases(kRecorded).size(), 500u);
  expect_recorded(kRecorded);
}

TEST(PromptCleaning, EqualsFurtherCases) {
  const char* further = std::getenv("SGF_CLEANING_CASES");
  if (further == nullptr) GTEST_SKIP() << "SGF_CLEANING_CASES names no file of further cases";
  expect_recorded(further);
}

// A case that begins to match belongs among the others.
TEST(PromptCleaning, KnownDifferencesLoseNoLetters) {
  for (const nlohmann::json& one : recorded_cases(kRecorded, "not_reproduced")) {
    const std::string cleaned = clean_prompt(one.at("text").get<std::string>());
    EXPECT_NE(cleaned, one.at("cleaned").get<std::string>()) << one.at("why");
    EXPECT_TRUE(cleaned.ends_with(one.at("cleaned").get<std::string>())) << cleaned;
  }
}

TEST(PromptCleaning, LeavesWhatIsCleanAlone) {
  for (const nlohmann::json& one : recorded_cases(kRecorded)) {
    const std::string cleaned = one.at("cleaned");
    // Escapes that HTML forgives but ftfy leaves are read on every call.
    if (cleaned.find('&') != std::string::npos) continue;
    EXPECT_EQ(clean_prompt(cleaned), cleaned);
  }
}

TEST(PromptCleaning, BytesThatAreNoUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(clean_prompt("a \xff b"), "a \uFFFD b");
  EXPECT_EQ(clean_prompt("cut \xe4\xb8"), "cut \uFFFD");
}

TEST(PromptCleaning, SurrogatesEncodedOneByOneAreJoined) {
  EXPECT_EQ(clean_prompt("\xed\xa0\xbd\xed\xb0\xbc"), "🐼");
  EXPECT_EQ(clean_prompt("\xed\xa0\xbd!"), "\uFFFD!");
}

TEST(PromptCleaning, WhatCannotBeSeenIsNoWord) {
  for (const char* empty : {"", " \t", "\u00a0", "\u3000", "\u200b", "&nbsp;", "&#8203; \ufeff"})
    EXPECT_FALSE(has_words(empty)) << empty;
  for (const char* word : {"a", "\u200b.", "色", "&amp;", "\xff"}) EXPECT_TRUE(has_words(word)) << word;
}

TEST(PromptCleaning, AHugePromptTakesNoQuadraticTime) {
  std::string prompt;
  for (int i = 0; i < 100000; ++i) prompt += "café &amp; ";
  EXPECT_EQ(clean_prompt(prompt).size(), 100000 * std::string("café & ").size() - 1);
}

TEST(Nfc, JoinsAndOrdersMarks) {
  EXPECT_EQ(to_nfc(U"e\u0301"), U"é");
  EXPECT_EQ(to_nfc(U"o\u0302\u0323"), U"\u1ED9");
  EXPECT_EQ(to_nfc(U"\u1100\u1161\u11a8"), U"각");
  EXPECT_EQ(to_nfc(U"\u0958"), U"\u0915\u093c");  // kept apart: on the list of exclusions
}

TEST(HtmlUnescape, TheCarefulReaderWantsASemicolonAndTheBrowserDoesNot) {
  EXPECT_EQ(unescape_whole_entities(U"&notit; &eacute &EACUTE;"), U"&notit; &eacute É");
  EXPECT_EQ(unescape_html(U"&notit; &eacute &EACUTE;"), U"¬it; é &EACUTE;");
}

TEST(MojibakeSigns, SeeMojibakeButNotOrdinaryAccents) {
  EXPECT_TRUE(looks_like_mojibake(U"cafÃ©"));
  EXPECT_TRUE(looks_like_mojibake(U"â€œ"));
  EXPECT_FALSE(looks_like_mojibake(U"café “à la carte”"));
  EXPECT_FALSE(looks_like_mojibake(U"色调艳丽，过曝"));
}

}  // namespace
}  // namespace sgf
