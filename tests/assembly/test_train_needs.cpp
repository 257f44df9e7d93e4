// What training asks of a config beyond a sound one.
#include "sgf/assembly/train_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Config world(StageChoice stage) {
  Config c = load_config("world-tiny", {}, {SGF_PRESETS});
  c.train.stage = stage;
  return c;
}

TEST(TrainNeeds, AStageOnClipsNeedsTheWorldAndNoPrompts) {
  Config c = world(StageChoice::kTeacherForcing);
  EXPECT_THAT(unmet_needs(c), IsEmpty());
  c.data.prompts = "absent/prompts.txt";
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("leave data.prompts empty")));
  EXPECT_THAT(missing_files(c), ElementsAre(HasSubstr("data.prompts: absent/prompts.txt")));
  c.data.world.clear();
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("set data.world"), HasSubstr("data.prompts")));
}

TEST(TrainNeeds, ClipsOfVideosStandInForTheWorld) {
  Config c = world(StageChoice::kTeacherForcing);
  c.data.world.clear();
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("sgf data encode")));
  c.data.clips = "absent/clips";
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("set data.wan")));  // the VAE of samples
  c.data.wan = SGF_PRESETS;
  EXPECT_THAT(unmet_needs(c), IsEmpty());
  EXPECT_THAT(missing_files(c), ElementsAre(HasSubstr("--out absent/clips")));
  c.data.world = "world-tiny";
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("leave one of them empty")));
  c.data.world.clear();
  c.train.stage = StageChoice::kDmd;
  EXPECT_THAT(unmet_needs(c), Contains(HasSubstr("the dmd stage does not use clips")));
}

TEST(TrainNeeds, DmdNeedsATeacherAndAStudent) {
  Config c = world(StageChoice::kDmd);
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("set dmd.teacher"), HasSubstr("set train.start_from")));
  c.dmd.teacher = c.train.start_from = SGF_PRESETS;
  EXPECT_THAT(unmet_needs(c), IsEmpty());
  EXPECT_THAT(missing_files(c), IsEmpty());
  c.dmd.critic = "absent/critic";
  EXPECT_THAT(missing_files(c), ElementsAre(HasSubstr("dmd.critic")));
}

TEST(TrainNeeds, StudentsNeedATeacherOrItsPathsAndAStart) {
  Config c = world(StageChoice::kCausalCd);
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("set distil.teacher"), HasSubstr("set train.start_from")));
  c.distil.teacher = c.train.start_from = SGF_PRESETS;
  EXPECT_THAT(unmet_needs(c), IsEmpty());
  for (const StageChoice stage : {StageChoice::kCausalOde, StageChoice::kBidirectionalOde}) {
    c.train.stage = stage;
    EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("sgf pairs")));
  }
  c.data.pairs = "absent/pairs";
  EXPECT_THAT(unmet_needs(c), IsEmpty());
  EXPECT_THAT(missing_files(c), ElementsAre(HasSubstr("data.pairs: absent/pairs does not exist or is incomplete")));
}

// Without a world prompts lead the paths of a bidirectional teacher, clips those of a teacher-forced one.
TEST(TrainNeeds, PathsWithoutAWorldComeOfPromptsOrOfClips) {
  Config c = world(StageChoice::kBidirectionalOde);
  c.data.world.clear();
  c.data.pairs = c.train.start_from = SGF_PRESETS;
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("set data.wan"), HasSubstr("set data.prompts")));
  c.data.wan = c.data.prompts = SGF_PRESETS;
  EXPECT_THAT(unmet_needs(c), IsEmpty());
  c.train.stage = StageChoice::kCausalOde;
  EXPECT_THAT(unmet_needs(c), ElementsAre(HasSubstr("set data.clips")));
}

}  // namespace
}  // namespace sgf
