// The mark of a checkpoint, DONE, beside files that are there.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/files/strict_json.h"
#include "sgf/files/tensor_hash.h"
#include "sgf/runs/checkpoint_store.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>

namespace sgf::fuzz {
namespace {

// The same mark with a hash that holds: no mutation would get past it.
std::string with_hash(std::string_view input) {
  std::optional<nlohmann::json> mark = try_parse_json(input);
  if (!mark || !mark->is_object() || !mark->contains("hashes")) return std::string(input);
  mark->erase("hash");
  const std::string text = mark->dump();
  (*mark)["hash"] = tensor_hash_of(std::as_bytes(std::span(text)));
  return mark->dump();
}

void read_one(std::string_view input) {
  const CheckpointStore store(scratch_folder() / "checkpoints");
  [[maybe_unused]] static const auto weights =
      scratch_file("checkpoints/step_00000010/generator.safetensors", "12345678");
  [[maybe_unused]] static const auto leftover = scratch_file("checkpoints/step_00000011/REMOVED", "{}");
  scratch_file("checkpoints/step_00000010/DONE", input);
  const CheckpointSurvey survey = store.survey();
  must(survey.complete.size() + survey.damaged.size() == 1, "a marked checkpoint is whole or damaged");
  must(survey.leftovers.size() == 1, "a half-removed folder is a leftover");
  must(store.newest().has_value() == survey.damaged.empty(), "the newest checkpoint is a whole one");
  const CheckpointChoice choice = store.choose();
  must(choice.step.has_value() == choice.damaged.empty(), "a checkpoint is chosen or damaged");
  must(choice.damaged.size() == choice.passed_over.size(), "damage is described");
}

void read(std::string_view input) {
  do_or_refuse("step_000000", [&] { read_one(input); });
  if (const std::string mended = with_hash(input); mended != input) read_one(mended);
}

const Registered target("checkpoint_mark", read);

}  // namespace
}  // namespace sgf::fuzz
