// A stream's latents as one safetensors file that grows with the stream, in the memory of one block.
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

// Contains the tensor "latents", [F, C, h, w]. Grows as `NAME.part`, whose header has room for any F, and gets its
// final name when it is finished. Then it is an ordinary file that any reader can open.
class LatentFile {
 public:
  LatentFile(const std::filesystem::path& path, const LatentFileSettings& settings, const MaybePlace& from = {});
  ~LatentFile();

  void add(const at::Tensor& latents);  // [F, C, h, w] of the dtype, on the CPU
  SinkPlace sync();                     // everything added is on disk; counts latent frames
  void finish();
  void discard();  // gives up and removes the part file

 private:
  class Part;
  std::unique_ptr<Part> part_;
};

// The file name while it grows.
std::filesystem::path latent_part_of(const std::filesystem::path& path);

}  // namespace sgf
