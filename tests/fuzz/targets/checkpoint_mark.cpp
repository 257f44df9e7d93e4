// The mark of a checkpoint, DONE, beside files that are there.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/runs/checkpoint_store.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  const CheckpointStore store(scratch_folder() / "checkpoints");
  [[maybe_unused]] static const auto weights =
      scratch_file("checkpoints/step_00000010/generator.safetensors", "12345678");
  [[maybe_unused]] static const auto leftover = scratch_file("checkpoints/step_00000011/stage.json", "{}");
  scratch_file("checkpoints/step_00000010/DONE", input);
  const CheckpointSurvey survey = store.survey();
  must(survey.complete.size() + survey.damaged.size() == 1, "a marked checkpoint is whole or damaged");
  must(survey.leftovers.size() == 1, "a folder without a mark is a leftover");
  must(store.newest().has_value() == survey.damaged.empty(), "the newest checkpoint is a whole one");
}

const Registered target("checkpoint_mark", read);

}  // namespace
}  // namespace sgf::fuzz
