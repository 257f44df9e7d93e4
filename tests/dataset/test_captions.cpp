// Lists of captions: the forms they come in, and what is refused with its place.
#include "sgf/dataset/captions.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace sgf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class CaptionLists : public ::testing::Test {
 protected:
  Captions read(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return read_captions(folder_ / name);
  }
  std::string refused(const std::string& name, const std::string& text) const {
    return refusal_of([&] { read(name, text); });
  }
  testing::TemporaryFolder folder_;
};

TEST_F(CaptionLists, AreReadInEveryForm) {
  const auto both = ElementsAre(Pair("a.mp4", "one, two"), Pair("b/c.mov", "drei \"vier\""));
  EXPECT_THAT(read("l.json", R"({"a.mp4": " one, two\n", "b/c.mov": "drei \"vier\""})"), both);
  EXPECT_THAT(
      read("l.json", R"([{"file": "a.mp4", "caption": "one, two"}, {"path": "b/c.mov", "text": "drei \"vier\""}])"),
      both);
  EXPECT_THAT(read("l.jsonl",
                   "\xEF\xBB\xBF{\"video\": \"a.mp4\", \"prompt\": \"one, two\"}\r\n\n"
                   "{\"file_name\": \"b/c.mov\", \"caption\": \"drei \\\"vier\\\"\", \"frames\": 81}"),
              both);
  EXPECT_THAT(read("l.csv", "id,file,caption\r\n7,a.mp4,\"one, two\"\r\n8,b/c.mov,\"drei \"\"vier\"\"\"\r\n"), both);
}

TEST_F(CaptionLists, AQuotedFieldMayHoldLineBreaks) {
  EXPECT_THAT(read("l.csv", "file,caption\na.mp4,\"one\ntwo\"\nb.mp4,three"),
              ElementsAre(Pair("a.mp4", "one\ntwo"), Pair("b.mp4", "three")));
}

TEST_F(CaptionLists, TheSameEntryTwiceIsOneAndAnotherCaptionIsRefused) {
  EXPECT_THAT(read("l.csv", "file,caption\na.mp4,one\na.mp4,one\n"), ElementsAre(Pair("a.mp4", "one")));
  EXPECT_THAT(refused("l.csv", "file,caption\na.mp4,one\na.mp4,two\n"),
              HasSubstr("entry 3: a.mp4 has another caption"));
}

TEST_F(CaptionLists, WhatIsNoListIsRefusedWithItsPlace) {
  EXPECT_THAT(refused("l.json", "{"), HasSubstr("l.json: not valid JSON"));
  EXPECT_THAT(refused("l.json", R"({"a.mp4": 3})"), HasSubstr("the caption of 'a.mp4' is not text"));
  EXPECT_THAT(refused("l.json", R"([{"file": "a.mp4"}])"),
              HasSubstr("entry 1 has no text under any of the keys caption, text, prompt"));
  EXPECT_THAT(refused("l.json", R"(["a.mp4"])"), HasSubstr("entry 1 is not an object"));
  EXPECT_THAT(refused("l.jsonl", "{\"file\": \"a\", \"caption\": \"b\"}\nnothing\n"),
              HasSubstr("line 2: not valid JSON"));
  EXPECT_THAT(refused("l.csv", "a.mp4,one\n"), HasSubstr("including file and caption, got 'a.mp4,one'"));
  EXPECT_THAT(refused("l.csv", "file,caption\na.mp4,one, two\n"), HasSubstr("row 2 has 3 fields, expected 2"));
  EXPECT_THAT(refused("l.csv", "file,caption\na.mp4,\"one\n"), HasSubstr("row 2 has an opening quote"));
  EXPECT_THAT(refused("l.csv", "file,caption\n,one\n"), HasSubstr("entry 2 has no file name"));
  EXPECT_THAT(refused("l.csv", "file,caption\na.mp4,caf\xE9\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(refused("l.xls", ""), HasSubstr("a .json, .jsonl or .csv file"));
  EXPECT_THAT(refusal_of([&] { read_captions(folder_ / "none.csv"); }),
              HasSubstr("does not exist, expected a file of captions"));
}

}  // namespace
}  // namespace sgf
