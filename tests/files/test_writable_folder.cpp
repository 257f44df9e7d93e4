#include "sgf/files/writable_folder.h"

#include "sgf/files/atomic_file.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace sgf {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class WritableFolder : public ::testing::Test {
 protected:
  WritableFolder() { std::ofstream(folder_ / "file") << "text"; }
  testing::TemporaryFolder folder_;
};

TEST_F(WritableFolder, AFileNeedsTheFolderAroundIt) {
  EXPECT_NO_THROW(check_can_be_put(folder_ / "new.png"));
  EXPECT_NO_THROW(check_can_be_put("new.png"));
  EXPECT_THAT(refusal_of([&] { check_can_be_put(folder_ / "no/new.png"); }), HasSubstr("no such folder: "));
  EXPECT_THAT(refusal_of([&] { check_can_be_put(folder_ / "file/new.png"); }),
              HasSubstr("expected a folder, but this is a file: "));
}

TEST_F(WritableFolder, AFolderNeedsTheNearestOneThatExists) {
  EXPECT_NO_THROW(check_can_be_made(folder_ / "a/b/c/", "c"));
  EXPECT_NO_THROW(check_can_be_made("a/b", "b"));
  EXPECT_THAT(refusal_of([&] { check_can_be_made(folder_ / "file/a/b", "a video"); }),
              HasSubstr("cannot write a video: expected a folder, but this is a file: "));
}

TEST_F(WritableFolder, AFolderThatCannotBeMadeIsAnErrorInWords) {
  create_folder(folder_ / "a/b");
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "a/b"));
  EXPECT_THAT(refusal_of([&] { create_folder(folder_ / "file/a"); }), EndsWith("file/a: Not a directory"));
}

TEST_F(WritableFolder, AFileInNoFolderIsRefusedInWords) {
  for (const char* name : {"no/new", "file/new"})
    EXPECT_THAT(refusal_of([&] { AtomicFile(folder_ / name).write("text"); }), EndsWith("the folder does not exist"));
}

}  // namespace
}  // namespace sgf
