// Our own checkpoints and states: a safetensors file with a format mark and a kind.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"
#include "fuzz/tensor_files.h"

#include "sgf/files/checkpoint_format.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.state";

// In memory: files on disk that were found intact are not looked at again.
bool is_intact(std::string_view bytes) {
  try {
    check_hashes(read_safetensors(mapped(kName, bytes)), kName, HashCheck::kAll);
    return true;
  } catch (const Error& error) {
    must_name(error, kName);
    return false;
  }
}

// The same tensors with hashes that hold, which no mutation would find. One changed bit must be noticed.
void read_with_hashes(const TensorFile& file, size_t salt) {
  std::map<std::string, std::string> metadata = file.metadata;
  remove_hashes(metadata);
  stamp(metadata, "training");
  const std::filesystem::path path = scratch_folder() / "hashed.state";
  write_safetensors(path, outgoing(file), metadata);
  std::string bytes(MappedFile::open(path)->text());
  must(is_intact(bytes), "what was written is intact");
  bytes[salt % bytes.size()] ^= 1;
  must(!is_intact(bytes), fmt::format("a changed bit in byte {} is noticed", salt % bytes.size()));
}

void read(std::string_view input) {
  const auto path = scratch_file(kName, input);
  for (const char* kind : {"dit", "training", "stream"}) {
    const auto file = read_or_refuse(kName, [&] { return open_checkpoint(path, kind); });
    if (file) must(is_own_checkpoint(*file), "what opens as a checkpoint of ours says that it is one");
  }
  const auto file = read_or_refuse(kName, [&] { return read_safetensors(mapped(kName, input)); });
  if (file) read_with_hashes(*file, std::hash<std::string_view>()(input));
}

const Registered target("checkpoint_file", read);

}  // namespace
}  // namespace sgf::fuzz
