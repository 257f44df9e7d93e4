// A stream's latents as one safetensors file that grows: as long as the stream, in the memory of a block.
#pragma once

#include "sgf/media/sink_place.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace sgf {

struct LatentFileSettings {
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;
  at::ScalarType dtype = at::kFloat;
  std::map<std::string, std::string> metadata;
};

// Holds the tensor "latents", [F, C, h, w]. Grows as `NAME.part`, whose header has room for any F, and takes its name
// when it is finished: then it is an ordinary file that any reader opens.
class LatentFile {
 public:
  LatentFile(const std::filesystem::path& path, const LatentFileSettings& settings, const MaybePlace& from = {});
  ~LatentFile();

  void add(const at::Tensor& latents);  // [F, C, h, w] of the dtype, on the CPU
  SinkPlace sync();                     // all that came is on the disk; counts latents
  void finish();
  void discard();  // gives up, and takes the part away

 private:
  class Part;
  std::unique_ptr<Part> part_;
};

// Where it grows.
std::filesystem::path latent_part_of(const std::filesystem::path& path);

// The metadata "note" of such a file, whole or growing; nothing where it has none or is another kind of file.
std::optional<std::string> read_latent_note(const std::filesystem::path& path);

}  // namespace sgf
