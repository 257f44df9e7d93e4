// VAE latents in a file, with metadata.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/media/latent_file.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace sgf {

// The metadata of a latent file, besides `kind` "latents".
struct LatentsNote {
  std::optional<double> fps;  // of the frames
  std::string vae;            // the name of the file that encoded them
};

std::map<std::string, std::string> metadata_of(const LatentsNote& note);

// Takes the latent size from the first call. Without finish() no file is left.
class LatentsWriter {
 public:
  LatentsWriter(std::filesystem::path path, const LatentsNote& note);
  ~LatentsWriter();

  void add(const at::Tensor& latents);  // [F, C, h, w], any dtype and device; all of one size
  void finish();                        // at least one latent frame must have been added

  int64_t frames() const { return frames_; }

 private:
  std::filesystem::path path_;
  std::map<std::string, std::string> metadata_;
  std::optional<LatentFile> file_;
  int64_t frames_ = 0;
  bool is_finished_ = false;
};

// An opened latent file. Frames are read when they are used.
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
