// Captions of the built-in world, which have a grammar.
#include "fuzz/fuzz_target.h"

#include "sgf/world/caption.h"
#include "sgf/world/preset.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  const int64_t objects = count_named_objects(input);
  must(objects >= 0, "no fewer than no objects are named");
  do_or_refuse("", [&] {
    for (const int64_t token : world_tokens(input))
      must(token >= 0 && token < static_cast<int64_t>(world_vocabulary().size()), "a token is a word's");
  });
  const auto caption = read_or_refuse("", [&] { return parse_caption(input); });
  if (!caption) return;
  must(parse_caption(caption_text(*caption)) == *caption, "written and read again, a caption is equal");
  must(world_of_caption(*caption).objects == static_cast<int64_t>(caption->objects.size()), "some world shows it");
}

const Registered target("world_caption", read);

}  // namespace
}  // namespace sgf::fuzz
