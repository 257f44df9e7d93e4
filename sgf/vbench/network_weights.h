// How a network in this folder gets its weights: it requests them by official name and shape, and a source returns
// them. The source is a user's file, or a rule that generates weights from names.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/files/tensors.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// Remembers missing tensors and wrong shapes, so that users see all problems at once. A network takes its weights, then
// calls `finish`, and only then computes.
class NetworkWeights {
 public:
  // The tensor of that name, of any dtype; undefined if missing. A source that generates weights uses `shape`.
  using Source = std::function<at::Tensor(const std::string& name, at::IntArrayRef shape)>;

  // `origin` names the source in messages: a file's path. `options`: dtype and device of everything taken.
  NetworkWeights(Source source, at::TensorOptions options, std::string origin);

  // A contiguous copy. If the source has no tensor of this shape, returns zeros, and `finish` will throw.
  at::Tensor take(const std::string& name, at::IntArrayRef shape);
  // The same in float32 or wider, for norms and other values that must not be rounded to 16 bits.
  at::Tensor take_wide(const std::string& name, at::IntArrayRef shape);

  // Throws unless everything taken existed; `network` is its name in messages ("DINO ViT-B/16").
  void finish(std::string_view network) const;

  const Source& source() const { return source_; }
  const std::string& origin() const { return origin_; }
  at::TensorOptions options() const { return options_; }
  int64_t taken_values() const { return taken_values_; }  // values taken so far: the parameter count

 private:
  at::Tensor take_as(const std::string& name, at::IntArrayRef shape, at::ScalarType dtype);

  Source source_;
  at::TensorOptions options_;
  std::string origin_;
  std::vector<std::string> faults_;
  int64_t taken_values_ = 0;
};

// A weight file of any kind, including TorchScript archives (CLIP's): their modules are read as dicts of tensors, and
// their code is ignored.
TensorFile open_network_file(const std::filesystem::path& path);

// Weights of a file whose names start with `prefix`, which networks do not see ("module." in raft-things.pth).
NetworkWeights weights_of_file(const TensorFile& file, at::TensorOptions options, const std::string& prefix = "");

// Weights that are already in memory.
NetworkWeights weights_of_tensors(const NamedTensors& tensors, at::TensorOptions options, const std::string& origin);

}  // namespace sgf
