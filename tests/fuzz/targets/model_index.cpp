// model_index.json of a diffusers pipeline.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/weights/wan_folder.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  const std::filesystem::path index = scratch_file("pipeline/model_index.json", input);
  do_or_refuse("model_index.json",
               [&] { must(WanFolder(index.parent_path()).is_diffusers(), "a folder with this file is a pipeline"); });
}

const Registered target("model_index", read);

}  // namespace
}  // namespace sgf::fuzz
