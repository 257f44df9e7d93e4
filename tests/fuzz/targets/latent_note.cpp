// The note inside a file of latents, which may be cut off anywhere.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/media/latent_note.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  const auto note = read_latent_note(scratch_file("outside.safetensors", input));
  must(!note || note->size() <= input.size(), "a note is no longer than its file");
}

const Registered target("latent_note", read);

}  // namespace
}  // namespace sgf::fuzz
