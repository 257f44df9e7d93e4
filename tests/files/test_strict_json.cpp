// JSON from outside: what is refused, and that nothing in the sources parses it another way.
// g++ 12 under sanitizers takes parts of std::regex for uninitialised.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "sgf/files/json_file.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/strict_json.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace sgf {
namespace {

using ::testing::HasSubstr;

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(StrictJson, NestingIsRefusedBeyondTheLimitAndTakenUpToIt) {
  const size_t deepest = JsonLimits{}.depth;
  EXPECT_EQ(parse_strict_json(nested(deepest), "a.json").dump(), nested(deepest));
  EXPECT_THAT(refusal_of([&] { parse_strict_json(nested(deepest + 1), "a.json"); }),
              HasSubstr("a.json: JSON is nested deeper than 32"));
  EXPECT_THAT(refusal_of([&] { parse_strict_json(nested(100'000), "a.json"); }), HasSubstr("nested deeper"));
}

TEST(StrictJson, ErrorsNameThePlaceInTheFileAndNotTheLibrary) {
  EXPECT_EQ(refusal_of([] { parse_strict_json("garbage", "a.json"); }),
            "a.json: not valid JSON: parse error at line 1, column 1");
  EXPECT_EQ(refusal_of([] { parse_strict_json("", "a.json"); }),
            "a.json: not valid JSON: parse error at line 1, column 1");
  EXPECT_EQ(refusal_of([] { parse_strict_json("{\n \"a\": 1,\n \"b\": x}", "a.json"); }),
            "a.json: not valid JSON: parse error at line 3, column 7");
  EXPECT_EQ(refusal_of([] { parse_strict_json("[1,\n", "a.json"); }),
            "a.json: not valid JSON: parse error at line 2, column 1");
  EXPECT_EQ(refusal_of([] { parse_strict_json("[\"a\n\"]", "a.json"); }),
            "a.json: not valid JSON: parse error at line 2, column 0");
  EXPECT_EQ(refusal_of([] { parse_strict_json("[1e999]", "a.json"); }),
            "a.json: not valid JSON: 'number overflow parsing '1e999''");
  EXPECT_EQ(json_complaint("[json.exception.type_error.302] type must be string, but is number"),
            "type must be string, but is number");
  EXPECT_EQ(json_complaint("no tag"), "no tag");
}

TEST(StrictJson, OrderedDocumentsKeepTheOrderOfTheTextAndTheSameChecks) {
  EXPECT_EQ(parse_strict_ordered_json(R"({"b":1,"a":2})", "a.json").dump(), R"({"b":1,"a":2})");
  EXPECT_THAT(refusal_of([] { parse_strict_ordered_json(R"({"b":1,"b":2})", "a.json"); }), HasSubstr("appears twice"));
  EXPECT_THAT(refusal_of([] { parse_strict_ordered_json(nested(100'000), "a.json"); }), HasSubstr("nested deeper"));
}

TEST(StrictJson, TriedTextIsNothingWhereTheStrictReaderRefuses) {
  EXPECT_EQ(try_parse_json("[1]").value(), nlohmann::json({1}));
  for (const std::string& text : {std::string("no JSON"), std::string(R"({"a":1,"a":2})"), nested(100'000)})
    EXPECT_FALSE(try_parse_json(text).has_value()) << text.substr(0, 20);
}

TEST(StrictJson, TriedFilesAreNothingWhereTheyAreMissingOrDamaged) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "good.json") << "[1]";
  std::ofstream(folder / "deep.json") << nested(100'000);
  EXPECT_EQ(try_read_json_file(folder / "good.json").value(), nlohmann::json({1}));
  EXPECT_FALSE(try_read_json_file(folder / "deep.json").has_value());
  EXPECT_FALSE(try_read_json_file(folder / "none.json").has_value());
  EXPECT_THAT(refusal_of([&] { read_json_file(folder / "deep.json"); }), HasSubstr("deep.json: JSON is nested deeper"));
}

// --- the sources ---

// Calls that make a document of text by nlohmann's own parsers, which know no limit.
std::vector<std::string> parse_calls_in(const std::string& source) {
  static const std::regex kCall(
      R"([Jj]son\s*::\s*(parse|sax_parse|accept|from_\w+)\s*[(<]|>>\s*\w*[Jj]son|cin\s*>>|"_json\b)");
  std::vector<std::string> calls;
  for (std::sregex_iterator it(source.begin(), source.end(), kCall), end; it != end; ++it) calls.push_back(it->str());
  return calls;
}

TEST(StrictJson, NothingElseInTheSourcesParsesJson) {
  const std::filesystem::path root = SGF_SOURCE_DIR;
  size_t files = 0;
  for (const char* part : {"sgf", "apps", "lab"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / part)) {
      const bool is_parser = entry.path().filename() == "strict_json.cpp";
      if (!entry.is_regular_file() || is_parser) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      for (const std::string& call : parse_calls_in(text.str()))
        ADD_FAILURE() << entry.path() << ": " << call << " has no limits; sgf/files/strict_json.h does";
      ++files;
    }
  }
  EXPECT_GT(files, 100u);
}

TEST(StrictJson, AnotherParseCallWouldBeFound) {
  for (const char* call :
       {"nlohmann::json::parse(text)", "Json::parse(file, nullptr, false)", "nlohmann::ordered_json::parse(t)",
        "json::accept(text)", "json::from_cbor(bytes)", "json::sax_parse(t, &b)", "stream >> json"})
    EXPECT_EQ(parse_calls_in(call).size(), 1u) << call;
  EXPECT_TRUE(parse_calls_in("const Json json = parse_strict_json(text, name);").empty());
}

TEST(JsonInteger, IsTheWholeNumberOrRefused) {
  EXPECT_EQ(integer_of(-3), -3);
  EXPECT_EQ(integer_of(INT64_MAX), INT64_MAX);
  EXPECT_EQ(integers_of({1, 2}), (std::vector<int64_t>{1, 2}));
  for (const nlohmann::json& value : {nlohmann::json(1.5), nlohmann::json(9.2e20), nlohmann::json(uint64_t{1} << 63),
                                      nlohmann::json("1"), nlohmann::json(true), nlohmann::json(nullptr)})
    EXPECT_THROW(integer_of(value), nlohmann::json::type_error) << value;
}

TEST(JsonInteger, IsTheOnlyConversionInTheSources) {
  static const std::regex kConversion(R"(get<(int64_t|int|size_t|std::vector<int64_t>)>\(\))");
  const std::filesystem::path root = SGF_SOURCE_DIR;
  for (const char* part : {"sgf", "apps", "lab"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / part)) {
      const std::string name = entry.path().filename();
      // These check that the value is an integer first; the model's room does not know files.
      const bool checks = name == "json_integer.cpp" || name == "dit_config.cpp" || name == "safetensors.cpp" ||
                          name == "adapter_config.cpp";
      if (!entry.is_regular_file() || checks) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      EXPECT_FALSE(std::regex_search(text.str(), kConversion)) << entry.path() << ": use files/json_integer.h";
    }
  }
}

}  // namespace
}  // namespace sgf
