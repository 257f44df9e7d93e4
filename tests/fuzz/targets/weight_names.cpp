// Names: of weights in other people's files, of shards, and of videos that carry their prompt.
#include "fuzz/fuzz_target.h"

#include "sgf/evaluation/video_list.h"
#include "sgf/media/frame_source.h"
#include "sgf/weights/placed_name.h"
#include "sgf/weights/weight_folder.h"
#include "sgf/weights/weight_names.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  if (const auto placed = place_name(input)) must(!placed->weight.empty(), "a name that was placed names a weight");
  if (const auto official = official_name(input)) {
    must(official_name(*official) == *official, "an official name is its own");
    must(official_name(diffusers_name(*official)) == *official, "each name has one twin");
  }
  if (input.find('\0') != std::string_view::npos) return;  // no path holds it
  shard_hint(input);
  is_png(input);
  must(prompt_of_name(input).size() <= input.size(), "a prompt is a part of its file's name");
}

const Registered target("weight_names", read);

}  // namespace
}  // namespace sgf::fuzz
