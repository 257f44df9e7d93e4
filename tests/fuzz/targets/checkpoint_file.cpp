// Our own checkpoints and states: a safetensors file with a format mark and a kind.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/files/checkpoint_format.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.state";

void read(std::string_view input) {
  const auto path = scratch_file(kName, input);
  for (const char* kind : {"dit", "training", "stream"}) {
    const auto file = read_or_refuse(kName, [&] { return open_checkpoint(path, kind); });
    if (file) must(is_own_checkpoint(*file), "what opens as a checkpoint of ours says that it is one");
  }
}

const Registered target("checkpoint_file", read);

}  // namespace
}  // namespace sgf::fuzz
