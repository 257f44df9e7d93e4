// An error about settings carries their keys, and its message costs nothing where the check holds.
#include "sgf/config/setting_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::ElementsAre;

TEST(CheckSetting, EvaluatesItsMessageOnlyWhereItFails) {
  int evaluated = 0;
  const auto shown = [&] { return ++evaluated; };
  SGF_CHECK_SETTING(evaluated == 0, "{} is {}", Key{"train.steps"}, shown());
  EXPECT_EQ(evaluated, 0);
  EXPECT_THROW(SGF_CHECK_SETTING(evaluated > 0, "{} is {}", Key{"train.steps"}, shown()), SettingError);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckSetting, NamesTheKeysOfItsMessageInTheirOrder) {
  try {
    SGF_CHECK_SETTING(false, "{} must divide {}, got {}", Key{"train.micro_batch"}, Key{"train.global_batch"}, 3);
    FAIL() << "expected an error";
  } catch (const SettingError& error) {
    EXPECT_STREQ(error.what(), "train.micro_batch must divide train.global_batch, got 3");
    EXPECT_THAT(error.keys(), ElementsAre("train.micro_batch", "train.global_batch"));
  }
}

}  // namespace
}  // namespace sgf
