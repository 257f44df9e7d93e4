// Weights as safetensors: the header, every tensor's bytes, and the same once more after writing them.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"
#include "fuzz/tensor_files.h"

#include "sgf/files/safetensors.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.safetensors";

void read(std::string_view input) {
  const auto file = read_or_refuse(kName, [&] { return read_safetensors(mapped(kName, input)); });
  must(!is_safetensors(std::as_bytes(std::span(input))) || looks_like_safetensors(std::as_bytes(std::span(input))),
       "what is a safetensors file looks like one");
  if (!file) return;
  touch_all(*file);
  const std::filesystem::path again = scratch_folder() / "again.safetensors";
  write_safetensors(again, outgoing(*file), file->metadata);
  must_hold_the_same(*file, read_safetensors(MappedFile::open(again)));
}

const Registered target("safetensors", read);

}  // namespace
}  // namespace sgf::fuzz
