// The demo as a whole, as small as it gets; tests/apps/check_demo.sh holds the command.
#include "lab/demo/demo.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <algorithm>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The shipped teacher, and the shipped student in all other roles.
struct SmallDemo : ::testing::Test {
  testing::TemporaryFolder folder;
  fs::path models = folder / "models";
  DemoSettings settings{.config = load_config("world-small-demo",
                                              {"train.steps=3", "dmd.generator_every=2", "dmd.critic_only_steps=0",
                                               "video.frames=6", "run.device=cpu"},
                                              {SGF_PRESETS}),
                        .models = models,
                        .out = folder / "demo",
                        .frames = 12,
                        .prompts = 1,
                        .progress = ProgressMode::kQuiet,
                        .say = [](const std::string&) {}};

  SmallDemo() {
    const fs::path shipped = fs::path(SGF_SOURCE_DIR) / "models" / "world-small";
    fs::create_directories(models);
    fs::create_symlink(shipped / "teacher", models / "teacher");
    for (const char* role : {"student", "sf", "sgf"}) fs::create_symlink(shipped / "student", models / role);
  }
};

TEST_F(SmallDemo, WithoutFfmpegShowsStripsAndTrainsAMatchedPair) {
  settings.writes_videos = false;
  const DemoResult result = run_demo(settings);
  EXPECT_THAT(testing::text_of(result.page), AllOf(HasSubstr("data:image/png;base64,"),
                                                   HasSubstr("install libavcodec-dev"), Not(HasSubstr("<video"))));
  EXPECT_FALSE(fs::exists(settings.out / "videos"));
  EXPECT_TRUE(fs::exists(settings.out / "demo.png") && fs::exists(settings.out / "strips" / "00.png"));

  const std::vector<DemoArm>& arms = result.contents.arms;
  ASSERT_EQ(arms.size(), 2U);
  EXPECT_EQ(*arms[0].rows.front().find("critic_loss"), *arms[1].rows.front().find("critic_loss"));
  EXPECT_EQ(result.contents.generator_updates, 1);
  EXPECT_EQ(result.contents.gap.loss_frozen, result.contents.gap.loss_open);
  EXPECT_GT(result.contents.gap.context_norm, 0);
  const std::vector<FrameMarks>& marks = result.contents.videos.at(0).marks;
  ASSERT_EQ(marks.size(), 4U);
  EXPECT_EQ(marks[3].name, "true clips");
  for (const FrameMarks& row : marks) EXPECT_EQ(row.frames.size(), 12U);
  EXPECT_GE(std::ranges::count(marks[3].frames, FrameMark::kValid), 10);
}

TEST_F(SmallDemo, TheSameWeightsMakeTheSameVideosSoThatOnlyTrainingTellsStudentsApart) {
  settings.writes_videos = false;
  const std::vector<DemoContestant> contestants = run_demo(settings).contents.contestants;
  ASSERT_EQ(contestants.size(), 4U);
  EXPECT_EQ(contestants[0].scores, contestants[1].scores);
  EXPECT_EQ(contestants[1].scores, contestants[2].scores);
  EXPECT_NE(contestants[2].scores, contestants[3].scores);
}

TEST_F(SmallDemo, NamesTheModelThatIsMissingBeforeItWritesAnything) {
  fs::remove(models / "sgf");
  EXPECT_THAT(refusal_of([&] { run_demo(settings); }), AllOf(HasSubstr("models/sgf"), HasSubstr("--models")));
  EXPECT_FALSE(fs::exists(settings.out));
}

}  // namespace
}  // namespace sgf
