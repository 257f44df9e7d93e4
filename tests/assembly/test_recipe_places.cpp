#include "sgf/assembly/recipe_places.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RecipePlaces, BundledRecipesAreFoundByName) {
  for (const char* name : {"world-small", "recipes/world-small", "wan-1.3b/chunkwise"}) {
    EXPECT_TRUE(std::filesystem::is_directory(find_recipe(name))) << name;
    EXPECT_THAT(find_recipe(name).string(), HasSubstr("recipes/")) << name;
  }
}

TEST(RecipePlaces, AStudyIsFoundByItsFolderAndByItsFile) {
  EXPECT_TRUE(std::filesystem::is_regular_file(find_study_recipe("world-small")));
  EXPECT_EQ(find_study_recipe("recipes/world-small/study.yaml"), find_study_recipe("world-small"));
}

TEST(RecipePlaces, APathThatExistsComesBackAsItIs) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(find_recipe(folder.path()), folder.path());
  EXPECT_EQ(find_recipe("/nowhere/recipe"), "/nowhere/recipe");  // opening it says what is wrong
}

TEST(RecipePlaces, AnUnknownNameIsAnErrorWithTheNearestOneOrAll) {
  EXPECT_THAT(refusal_of([] { find_recipe("wrld-small"); }), HasSubstr("no such recipe; did you mean world-small?"));
  EXPECT_THAT(
      refusal_of([] { find_recipe("nothing-like-it"); }),
      AllOf(HasSubstr("no such recipe; expected one of "), HasSubstr("wan-1.3b/chunkwise"), HasSubstr("world-small")));
}

TEST(RecipePlaces, OnlyStudiesAreOfferedForAStudy) {
  EXPECT_THAT(refusal_of([] { find_study_recipe("nothing-like-it"); }),
              AllOf(HasSubstr("no such recipe; expected one of world-small"), Not(HasSubstr("wan-1.3b"))));
  EXPECT_THAT(refusal_of([] { find_study_recipe("world-tiny"); }),
              HasSubstr("world-tiny: has no study.yaml, so it is not a study; bundled studies: world-small"));
}

TEST(RecipePlaces, NamesAreOfFoldersThatHoldTheFile) {
  EXPECT_THAT(recipe_names(), Contains("wan-1.3b/chunkwise"));
  EXPECT_THAT(recipe_names("study.yaml"), Contains("world-small"));
  EXPECT_THAT(recipe_names("study.yaml"), Not(Contains("wan-1.3b/chunkwise")));
}

}  // namespace
}  // namespace sgf
