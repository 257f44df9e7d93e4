#include "sgf/files/bundled.h"

#include "tests/core/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// A working directory without bundled files, for one test.
class Bundled : public ::testing::Test {
 protected:
  Bundled() { fs::current_path(folder_.path()); }
  ~Bundled() override { fs::current_path(before_); }

  const fs::path before_ = fs::current_path();
  const testing::TemporaryFolder folder_;
};

TEST_F(Bundled, ModelsAndRecipesAreFoundFromAnyWorkingDirectory) {
  for (const char* name : {"models/world-small/student", "recipes/world-small/study.yaml", "presets/world-tiny.yaml"})
    EXPECT_TRUE(fs::exists(find_bundled(name)) && find_bundled(name).is_absolute()) << find_bundled(name);
}

TEST_F(Bundled, AFileOfTheWorkingDirectoryComesFirst) {
  fs::create_directories("models/world-small/student");
  EXPECT_EQ(find_bundled("models/world-small/student"), "models/world-small/student");
}

TEST_F(Bundled, OnlyFoldersThatAreBundledAreLookedFor) {
  EXPECT_EQ(find_bundled("README.md"), "README.md");  // is in the source tree
  EXPECT_EQ(find_bundled("models/none"), "models/none");
  EXPECT_EQ(find_bundled(""), "");
}

}  // namespace
}  // namespace sgf
