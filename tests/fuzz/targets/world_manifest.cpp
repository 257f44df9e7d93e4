// The list of a folder of the world's clips: which file shows what.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/world/clip_list.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "world/manifest.json";

void read(std::string_view input) {
  const auto path = scratch_file(kName, input);
  const auto list = read_or_refuse("manifest.json", [&] { return read_manifest(path); });
  if (!list) return;
  must(!list->clips.empty(), "a manifest without clips is refused");
  write_manifest(path, *list);
  must(to_json(read_manifest(path)) == to_json(*list), "written and read again, it is equal");
}

const Registered target("world_manifest", read);

}  // namespace
}  // namespace sgf::fuzz
