#include "sgf/streaming/stream_file.h"

#include "sgf/core/error.h"
#include "sgf/files/checkpoint_format.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

constexpr const char* kStreamKind = "stream";
constexpr std::string_view kLatentsPrefix = "latents.", kDecoderPrefix = "decoder.";

void add_prefixed(NamedTensors& all, std::string_view prefix, const NamedTensors& part) {
  for (const auto& [name, tensor] : part) all.emplace_back(std::string(prefix) + name, tensor);
}

// A video has one state, and no earlier ones.
TensorFile open_state(const std::filesystem::path& path) {
  return open_checkpoint(path, kStreamKind, HashCheck::kAll,
                         "restore the file from a copy, or use --overwrite to make the video again");
}

}  // namespace

void save_stream(const std::filesystem::path& path, const SavedStream& stream) {
  NamedTensors tensors;
  add_prefixed(tensors, kLatentsPrefix, stream.snapshot.latents);
  add_prefixed(tensors, kDecoderPrefix, stream.snapshot.decoder);
  std::map<std::string, std::string> metadata = to_metadata(stream.note);
  stamp(metadata, kStreamKind);
  save_tensors(path, tensors, metadata);
}

bool is_stream_file(const std::filesystem::path& path) try {
  const TensorFile file = open_tensor_file(path);
  const auto kind = file.metadata.find(kCheckpointKindKey);
  return is_own_checkpoint(file) && kind != file.metadata.end() && kind->second == kStreamKind;
} catch (const Error&) {
  return false;  // not a file of tensors
}

StreamNote load_stream_note(const std::filesystem::path& path) { return read_stream_note(open_state(path), path); }

SavedStream load_stream(const std::filesystem::path& path) {
  const TensorFile file = open_state(path);
  SavedStream stream{.note = read_stream_note(file, path)};
  for (const TensorEntry& entry : file.entries) {
    const bool is_latents = entry.name.starts_with(kLatentsPrefix);
    NamedTensors& part = is_latents ? stream.snapshot.latents : stream.snapshot.decoder;
    const size_t prefix = (is_latents ? kLatentsPrefix : kDecoderPrefix).size();
    part.emplace_back(entry.name.substr(prefix), map_tensor(file, entry).clone());
  }
  return stream;
}

}  // namespace sgf
