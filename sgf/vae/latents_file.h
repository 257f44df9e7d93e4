// Latents in a safetensors file: one tensor `latents` [F, C, h, w], float32, that grows frame by frame and appears when
// it is finished.
#pragma once

#include "sgf/core/atomic_file.h"
#include "sgf/core/tensor_file.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// What a file of latents says of itself, beside `kind` "latents".
struct LatentsNote {
  std::optional<double> fps;  // of the pictures
  std::string vae;            // the name of the file that encoded them
};

class LatentsWriter {
 public:
  LatentsWriter(const std::filesystem::path& path, const LatentsNote& note);

  void add(const at::Tensor& latents);  // [F, C, h, w], any dtype and device; all of one size
  void finish();                        // at least one latent must have come

  int64_t frames() const { return frames_; }

 private:
  std::string header() const;

  AtomicFile file_;
  std::map<std::string, std::string> metadata_;
  std::vector<int64_t> frame_;  // [C, h, w]
  int64_t frames_ = 0;
};

// An opened file of latents. Frames are read when they are asked for.
class LatentsReader {
 public:
  explicit LatentsReader(const std::filesystem::path& path);

  const at::Tensor& latents() const { return latents_; }  // [F, C, h, w], mapped
  const LatentsNote& note() const { return note_; }

 private:
  at::Tensor latents_;
  LatentsNote note_;
};

}  // namespace sgf
