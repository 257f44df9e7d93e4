// The arms of a study: what each one trains or generates, and its files in the study's folder. Torch-free.
#pragma once

#include "lab/study/study_recipe.h"
#include "sgf/config/config.h"
#include "sgf/core/enum_names.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class Granularity { kChunkwise, kFramewise };

constexpr auto enum_names(Granularity) {
  return std::array{EnumName{Granularity::kChunkwise, "chunkwise"}, EnumName{Granularity::kFramewise, "framewise"}};
}

enum class ArmKind {
  kTruth,    // clips of the world itself, for the same prompts
  kTeacher,  // bidirectional, many steps; only one training length
  kInitial,  // the initial student of both arms of every pair
  kSf,       // Self Forcing: the context is frozen
  kSgf,      // Self Gradient Forcing: it is open
};

constexpr auto enum_names(ArmKind) {
  return std::array{EnumName{ArmKind::kTruth, "truth"}, EnumName{ArmKind::kTeacher, "teacher"},
                    EnumName{ArmKind::kInitial, "initial"}, EnumName{ArmKind::kSf, "sf"},
                    EnumName{ArmKind::kSgf, "sgf"}};
}

struct StudyArm {
  Granularity granularity = Granularity::kChunkwise;
  ArmKind kind = ArmKind::kTruth;
  int64_t pair = 0;       // from 1, for sf and sgf; 0 for the others
  bool is_twice = false;  // the pair trained again, for twice the steps

  bool is_trained() const { return pair > 0; }
  // Sinks, recovery and the gradient probe are only for the initial student and the first pair.
  bool has_extras() const { return kind == ArmKind::kInitial || (pair == 1 && !is_twice); }
  std::string id() const;  // "chunkwise-sgf-2", "chunkwise-sgf-1-twice", "framewise-truth"
  bool operator==(const StudyArm&) const = default;
};

// The arms of a command; empty lists: all.
struct ArmChoice {
  std::optional<int64_t> seeds;            // pairs of each granularity, instead of the recipe's numbers
  std::vector<std::string> granularities;  // "chunkwise", "framewise"
  std::vector<std::string> arms;           // "sgf", "sgf-2", "sgf-twice" or "chunkwise-sgf-2"
};

// References before pairs, the two arms of a pair adjacent; those of twice the steps last.
std::vector<StudyArm> arms_of(const StudyRecipe& recipe, const ArmChoice& choice);

struct Study {
  RecipeFile file;
  std::filesystem::path folder;
  std::vector<std::filesystem::path> preset_folders;
  bool is_selection = false;                // uses the selection prompts, on which settings are chosen
  std::vector<std::string> overrides = {};  // of run.device and run.threads, instead of those of the recipe

  const StudyRecipe& recipe() const { return file.recipe; }
  const StudyEvaluation& evaluation() const { return file.recipe.evaluation; }
  const StudyGranularity& settings(Granularity granularity) const;
  int64_t first_prompt() const;
  int64_t prompts(Granularity granularity) const;
  bool is_headline(std::string_view metric) const;  // whether the verdict counts it
  bool is_horizon(int64_t length) const;            // whether tables show it
  // The teacher's videos end at the training length.
  std::vector<int64_t> segments(const StudyArm& arm) const;
  int64_t steps_of(const StudyArm& arm) const;

  // The run's config. Two arms of a pair differ only in dmd.boundary and name.
  Config config_of(const StudyArm& arm) const;

  std::filesystem::path run_of(const StudyArm& arm) const { return folder / "runs" / arm.id(); }
  std::filesystem::path weights_of(const StudyArm& arm) const { return folder / (arm.id() + ".safetensors"); }
  std::filesystem::path scores_of(const StudyArm& arm) const { return folder / (arm.id() + ".json"); }
};

// Checks beforehand: throws on sinks longer than their window and on a window longer than a clip.
void check_sizes(const Study& study);

}  // namespace sgf
