// How a network of this room gets its weights: it asks by official name and shape, a source answers. The source is a
// user's file, or a rule that makes weights from names.
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

// Remembers what was missing or of another shape, so that users hear of all faults at once. A network takes its
// weights, then calls `finish`, and only then computes.
class NetworkWeights {
 public:
  // The tensor of that name, of any dtype; undefined where there is none. A source that makes weights up obeys `shape`.
  using Source = std::function<at::Tensor(const std::string& name, at::IntArrayRef shape)>;

  // `origin` is what messages call the source: a file's path. `options`: dtype and device of all that is taken.
  NetworkWeights(Source source, at::TensorOptions options, std::string origin);

  // A contiguous copy of its own. Where the source has none of this shape, zeros that only `finish` may follow.
  at::Tensor take(const std::string& name, at::IntArrayRef shape);
  // The same in float32 or wider, for norms and what else is not rounded to 16 bits.
  at::Tensor take_wide(const std::string& name, at::IntArrayRef shape);

  // Throws unless everything taken was there; `network` is its name in words ("DINO ViT-B/16").
  void finish(std::string_view network) const;

  const Source& source() const { return source_; }
  const std::string& origin() const { return origin_; }
  at::TensorOptions options() const { return options_; }
  int64_t taken_values() const { return taken_values_; }  // numbers handed out so far: the parameter count

 private:
  at::Tensor take_as(const std::string& name, at::IntArrayRef shape, at::ScalarType dtype);

  Source source_;
  at::TensorOptions options_;
  std::string origin_;
  std::vector<std::string> faults_;
  int64_t taken_values_ = 0;
};

// A weight file of any kind, TorchScript archives (CLIP's) too: their modules are read as dicts of their tensors, their
// code is not.
TensorFile open_network_file(const std::filesystem::path& path);

// Weights of a file whose names begin with `prefix`, which networks do not see ("module." in raft-things.pth).
NetworkWeights weights_of_file(const TensorFile& file, at::TensorOptions options, const std::string& prefix = "");

// Weights that lie in memory already.
NetworkWeights weights_of_tensors(const NamedTensors& tensors, at::TensorOptions options, const std::string& origin);

}  // namespace sgf
