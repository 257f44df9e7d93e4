// Where a demo may write: an empty folder or an earlier demo's, and nothing that is not its own is taken away.
#include "lab/demo/demo_folder.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void put_file(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "something";
}

struct DemoFolders : ::testing::Test {
  testing::TemporaryFolder temporary;
  fs::path place = temporary.path() / "demo";

  void make_demo() const { DemoFolder(place, {"run"}); }
};

TEST_F(DemoFolders, AnEarlierDemoIsReplaced) {
  make_demo();
  for (const char* made : {"run/metrics.jsonl", "videos/sf/00.mp4", "strips/00.png", "demo.png"})
    put_file(place / made);
  make_demo();
  EXPECT_TRUE(fs::exists(place / "demo.html"));
  for (const char* gone : {"run", "videos", "strips", "demo.png"}) EXPECT_FALSE(fs::exists(place / gone)) << gone;
}

TEST_F(DemoFolders, WhatADemoDidNotMakeStaysInItsFolder) {
  make_demo();
  put_file(place / "notes.txt");
  put_file(place / "other_run" / "metrics.jsonl");
  make_demo();
  EXPECT_TRUE(fs::exists(place / "notes.txt") && fs::exists(place / "other_run" / "metrics.jsonl"));
}

TEST_F(DemoFolders, AFolderOfSomethingElseIsRefusedAndLeftAsItIs) {
  put_file(place / "run" / "metrics.jsonl");
  EXPECT_THAT(refusal_of([&] { make_demo(); }), HasSubstr("contains files that are not from sgf demo"));
  EXPECT_TRUE(fs::exists(place / "run" / "metrics.jsonl"));
  EXPECT_FALSE(fs::exists(place / "demo.html"));
}

TEST_F(DemoFolders, APageOfAnotherKindMakesNoDemo) {
  put_file(place / "demo.html");
  EXPECT_THAT(refusal_of([&] { make_demo(); }), HasSubstr("contains files that are not from sgf demo"));
}

TEST_F(DemoFolders, TwoDemosDoNotWriteAtOnce) {
  const DemoFolder first(place, {});
  EXPECT_THAT(refusal_of([&] { make_demo(); }), HasSubstr("another process"));
}

}  // namespace
}  // namespace sgf
