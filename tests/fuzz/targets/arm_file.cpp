// The scores of a study's arm, which may come from another machine.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "lab/study/arm_file.h"
#include "sgf/files/strict_json.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kRecipe = R"(
name: fuzzed
chunkwise: {config: world-tiny, student: s.safetensors, teacher: t.safetensors, steps: 10, seeds: 1, sinks: [0]}
evaluation: {prompts: 2, segments: [1], horizons: [1], sink_horizon: 1, strip_prompts: 1}
)";

Study make_study() {
  return {.file = read_study_recipe(scratch_file("study/study.yaml", kRecipe)),
          .folder = scratch_folder() / "study",
          .preset_folders = {SGF_PRESETS}};
}

// Its own parts first: they cost little. The rest reads presets, and is asked only of files that belong to the recipe.
void read(std::string_view input) {
  static const Study study = make_study();
  for (const StudyArm& arm : {StudyArm{.kind = ArmKind::kInitial}, StudyArm{.kind = ArmKind::kSgf, .pair = 1}}) {
    const auto path = scratch_file("study/" + arm.id() + ".json", input);
    const auto json = read_or_refuse(
        arm.id(), [&] { return parse_strict_json(input, path.string(), {.depth = 16, .array_length = 10'000}); });
    if (json) {
      do_or_refuse(arm.id(), [&] { check_arm_kinds(arm, *json, path); });
      do_or_refuse(arm.id(), [&] { to_json(score_table(*json, 1, 2, path.string())); });
    }
    if (input.find(study.file.sha256) == std::string_view::npos) continue;
    read_or_refuse(arm.id(), [&] { return read_arm(study, arm); });
  }
}

const Registered target("arm_file", read);

}  // namespace
}  // namespace sgf::fuzz
