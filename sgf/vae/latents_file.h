// Latents of a VAE in a file, with what they say of themselves.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/media/latent_file.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace sgf {

// What a file of latents says of itself, beside `kind` "latents".
struct LatentsNote {
  std::optional<double> fps;  // of the pictures
  std::string vae;            // the name of the file that encoded them
};

std::map<std::string, std::string> metadata_of(const LatentsNote& note);

// Takes the size of its latents from the first that come. Without finish() nothing is left.
class LatentsWriter {
 public:
  LatentsWriter(std::filesystem::path path, const LatentsNote& note);
  ~LatentsWriter();

  void add(const at::Tensor& latents);  // [F, C, h, w], any dtype and device; all of one size
  void finish();                        // at least one latent must have come

  int64_t frames() const { return frames_; }

 private:
  std::filesystem::path path_;
  std::map<std::string, std::string> metadata_;
  std::optional<LatentFile> file_;
  int64_t frames_ = 0;
  bool is_finished_ = false;
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
