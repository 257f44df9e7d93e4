// That the models that come along show what they are asked for. Few prompts and one training length: the study's
// numbers stand in models/world-small/*/metrics.json.
#include "lab/study/arm_pictures.h"
#include "lab/study/segment_scores.h"
#include "sgf/media/one_thread.h"
#include "tests/assembly/shipped_model_files.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kPrompts = 16;
// Shares of frames that hold all that a caption names. The study measured .85 to .91, and so few prompts can miss it by
// .1.
constexpr double kShown = 0.7, kNotShown = 0.1;
constexpr double kClose = 0.2;  // of two such shares

// Captions and noise of their own; a quarter of the study's steps for the teacher.
Study few_prompts() {
  StudyRecipe recipe;
  recipe.evaluation.prompts = kPrompts;
  recipe.evaluation.prompt_seed = 90001;
  recipe.evaluation.noise_seed = 90001;
  recipe.evaluation.teacher_steps = 12;
  recipe.evaluation.teacher_guidance = 1;
  return {.file = {.path = {}, .sha256 = {}, .recipe = recipe}, .folder = {}, .preset_folders = {SGF_PRESETS}};
}

struct ShippedVideos {
  std::vector<std::string> captions;
  WatchedFrames watched;
  at::Tensor pictures;  // [prompts, frames, 3, H, W]

  // The share of frames that show what `asked` names.
  double valid(const std::vector<std::string>& asked) const {
    MeasuringPool pool({.world = world_preset("world-small"), .captions = asked, .watched = watched});
    pool.add(0, pictures);
    return mean_of_values(pool.finish().at("valid").front());
  }

  double valid() const { return valid(captions); }
  // Every video beside the caption of the next one.
  double valid_by_others() const {
    std::vector<std::string> others = captions;
    std::ranges::rotate(others, others.begin() + 1);
    return valid(others);
  }
};

// Weights of one role, made to videos the way of another: the teacher's at once, a student's in few steps a block.
ShippedVideos videos_of(const std::string& role, ArmKind kind) {
  const OneThread one_thread;  // two that wait for each other beside another program take ten times as long
  const fs::path folder = fs::path(SGF_SOURCE_DIR) / "models" / "world-small" / role;
  Config config = testing::read_shipped_model(folder, {SGF_PRESETS}).config;
  config.run.dtype = ComputeDtype::kFloat32;
  const WatchedFrames watched(config.video.frames, config.context.train_frames, {1});
  const Study study = few_prompts();
  const ArmPictures pictures({study, {.kind = kind}, config, folder.string(), at::kCPU, watched, {}});
  return {pictures.captions(), watched, pictures.of(0, kPrompts)};
}

const ShippedVideos& teacher() {
  static const ShippedVideos videos = videos_of("teacher", ArmKind::kTeacher);
  return videos;
}

TEST(ShippedQuality, TheTeachersVideosShowWhatTheirCaptionsSay) {
  EXPECT_GT(teacher().valid(), kShown);
  EXPECT_LT(teacher().valid_by_others(), kNotShown);
}

TEST(ShippedQuality, TheFewStepStudentComesCloseToItsTeacher) {
  EXPECT_GT(videos_of("student", ArmKind::kInitial).valid(), teacher().valid() - kClose);
}

TEST(ShippedQuality, TheTeacherItselfDoesNotInAsFewSteps) {
  EXPECT_LT(videos_of("teacher", ArmKind::kInitial).valid(), teacher().valid() - kClose);
}

TEST(ShippedQuality, SelfForcingAndSelfGradientForcingShowWhatTheirCaptionsSay) {
  for (const auto& [role, kind] : {std::pair("sf", ArmKind::kSf), std::pair("sgf", ArmKind::kSgf)}) {
    SCOPED_TRACE(role);
    const ShippedVideos videos = videos_of(role, kind);
    EXPECT_GT(videos.valid(), kShown);
    EXPECT_LT(videos.valid_by_others(), kNotShown);
  }
}

}  // namespace
}  // namespace sgf
