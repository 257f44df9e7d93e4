// The recipe of a study, study.yaml.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "lab/study/study_arms.h"

namespace sgf::fuzz {
namespace {

constexpr int64_t kMostPairs = 1000;

void read(std::string_view input) {
  const auto file = read_or_refuse("", [&] { return read_study_recipe(scratch_file("study.yaml", input)); });
  if (!file || file->recipe.chunkwise.seeds > kMostPairs || file->recipe.framewise.seeds > kMostPairs) return;
  must(!arms_of(file->recipe, {}).empty(), "a study that passed its checks has arms");
}

const Registered target("study_recipe", read);

}  // namespace
}  // namespace sgf::fuzz
