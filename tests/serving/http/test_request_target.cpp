#include "sgf/serving/http/request_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/refusal.h"

namespace sgf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(RequestTarget, SplitsAndDecodesPathAndQuery) {
  const RequestTarget target = parse_target("/v1/videos/s-1/a%20b%C3%A9?live=1&prompt=two+words%26more&flag");
  EXPECT_THAT(target.path, ElementsAre("v1", "videos", "s-1", "a b\xC3\xA9"));
  EXPECT_THAT(target.query, ElementsAre(Pair("flag", ""), Pair("live", "1"), Pair("prompt", "two words&more")));
  EXPECT_THAT(parse_target("/").path, IsEmpty());
}

TEST(RequestTarget, APlusInAPathIsAPlus) { EXPECT_THAT(parse_target("/a+b").path, ElementsAre("a+b")); }

TEST(RequestTarget, PathsThatCouldLeaveAFolderAreRefused) {
  for (const char* target :
       {"/..", "/a/../b", "/%2e%2e/etc", "/%2E%2e", "/.", "/a/./b", "//", "/a//b", "/a/", "/a%2fb", "/a%5cb", "/a\\b"})
    EXPECT_THAT(refusal_of([&] { parse_target(target); }), HasSubstr("names nothing")) << target;
  EXPECT_THAT(parse_target("/..a/b..").path, ElementsAre("..a", "b.."));
}

TEST(RequestTarget, BytesThatAreNoTextAreRefused) {
  EXPECT_THAT(refusal_of([] { parse_target("/a%00b"); }), HasSubstr("control character"));
  EXPECT_THAT(refusal_of([] { parse_target("/?a=%0d%0aSet-Cookie"); }), HasSubstr("control character"));
  EXPECT_THAT(refusal_of([] { parse_target("/%c0%ae%c0%ae"); }), HasSubstr("not UTF-8"));
  for (const char* target : {"/%", "/%2", "/%zz", "/a%2"})
    EXPECT_THAT(refusal_of([&] { parse_target(target); }), HasSubstr("hexadecimal")) << target;
}

TEST(RequestTarget, WhatIsNoPathOfThisServerIsRefused) {
  for (const char* target : {"", "*", "v1", "http://other/v1"})
    EXPECT_THAT(refusal_of([&] { parse_target(target); }), HasSubstr("begins with '/'")) << target;
  EXPECT_THAT(refusal_of([] { parse_target("/a#b"); }), HasSubstr("no '#'"));
  EXPECT_THAT(refusal_of([] { parse_target("/?a=1&a=2"); }), HasSubstr("'a' twice"));
  EXPECT_THAT(refusal_of([] { parse_target("/?=1"); }), HasSubstr("without a name"));
}

TEST(RequestTarget, PartsAreCounted) {
  std::string path, query = "/?";
  for (int i = 0; i < 16; ++i) path += "/a";
  for (int i = 0; i < 32; ++i) query += "a" + std::to_string(i) + "&";
  EXPECT_EQ(parse_target(path).path.size(), 16u);
  EXPECT_EQ(parse_target(query).query.size(), 32u);
  EXPECT_THAT(refusal_of([&] { parse_target(path + "/a"); }), HasSubstr("more than 16 parts"));
  EXPECT_THAT(refusal_of([&] { parse_target(query + "b"); }), HasSubstr("more than 32 values"));
}

TEST(RequestTarget, ItsTextParsesToTheSameTarget) {
  const RequestTarget target{.path = {"a b", "100%"}, .query = {{"q", "x&y=z"}, {"\xC3\xA9", ""}}};
  const RequestTarget again = parse_target(target_text(target));
  EXPECT_EQ(again.path, target.path);
  EXPECT_EQ(again.query, target.query);
  EXPECT_EQ(target_text({}), "/");
}

TEST(HostName, IsLowerCaseWithoutThePort) {
  EXPECT_EQ(host_name("LocalHost:8080"), "localhost");
  EXPECT_EQ(host_name("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(host_name("[::1]:80"), "[::1]");
  for (const char* header :
       {"", ":80", "a b", "a:", "a:x", "a:99999", "a:80:80", "[", "[]", "[::1", "[::1]x", "a/b", "a@b"})
    EXPECT_EQ(host_name(header), std::nullopt) << header;
}

TEST(Origin, IsThatOfTheHostHeader) {
  EXPECT_TRUE(is_origin_of("http://localhost:8080", "LOCALHOST:8080"));
  EXPECT_TRUE(is_origin_of("https://a.example", "a.example"));
  for (const char* origin :
       {"null", "", "http://localhost", "http://localhost:80800", "http://evil/localhost:8080", "ftp://localhost:8080"})
    EXPECT_FALSE(is_origin_of(origin, "localhost:8080")) << origin;
}

TEST(Cookie, IsFoundAmongOthers) {
  EXPECT_EQ(cookie_value("a=1; sgf_token=abc; b=2", "sgf_token"), "abc");
  EXPECT_EQ(cookie_value("sgf_token=", "sgf_token"), "");
  EXPECT_EQ(cookie_value("xsgf_token=1; sgf_tokenx=2; sgf_token", "sgf_token"), std::nullopt);
  EXPECT_EQ(cookie_value("sgf_token=1;sgf_token=2", "sgf_token"), std::nullopt);
}

TEST(MediaType, IsLowerCaseWithoutParameters) {
  EXPECT_EQ(media_type("Application/JSON ; charset=utf-8"), "application/json");
  EXPECT_EQ(media_type(""), "");
}

TEST(Range, IsCutAtTheEndOfTheFile) {
  const auto range = [](const char* header, uint64_t size) {
    const std::optional<ByteRange> found = requested_range(header, size);
    return found ? fmt::format("{}+{}", found->first, found->bytes) : "all";
  };
  EXPECT_EQ(range("bytes=0-9", 100), "0+10");
  EXPECT_EQ(range("bytes=90-", 100), "90+10");
  EXPECT_EQ(range("bytes=90-1000", 100), "90+10");
  EXPECT_EQ(range("bytes=-10", 100), "90+10");
  EXPECT_EQ(range("bytes=-1000", 100), "0+100");
  EXPECT_EQ(range("bytes=0-18446744073709551615", 100), "0+100");
  EXPECT_EQ(range("bytes=100-", 100), "100+0");
  EXPECT_EQ(range("bytes=0-", 0), "0+0");
  EXPECT_EQ(range("bytes=-0", 100), "100+0");
  for (const char* header : {"", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=0-1,5-6", "lines=0-1",
                             "bytes=0-99999999999999999999999", "bytes=--1", "bytes=+1-2"})
    EXPECT_EQ(range(header, 100), "all") << header;
}

TEST(Secret, OnlyTheWholeOneIsRight) {
  EXPECT_TRUE(is_same_secret("abcdefgh", "abcdefgh"));
  for (const char* guess : {"", "a", "abcdefg", "abcdefghi", "abcdefgH"})
    EXPECT_FALSE(is_same_secret(guess, "abcdefgh"));
}

}  // namespace
}  // namespace sgf
