#include "sgf/vbench/network_weights.h"

#include "sgf/core/error.h"
#include "sgf/files/safetensors.h"
#include "sgf/files/torch_archive.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <utility>

namespace sgf {

NetworkWeights::NetworkWeights(Source source, at::TensorOptions options, std::string origin)
    : source_(std::move(source)), options_(options), origin_(std::move(origin)) {}

at::Tensor NetworkWeights::take_as(const std::string& name, at::IntArrayRef shape, at::ScalarType dtype) {
  const at::TensorOptions options = options_.dtype(dtype);
  const at::Tensor found = source_(name, shape);
  if (found.defined() && found.sizes() == shape) {
    taken_values_ += found.numel();
    return found.to(options, /*non_blocking=*/false, /*copy=*/true).contiguous();
  }
  faults_.push_back(found.defined() ? fmt::format("{} is [{}], expected [{}]", name, fmt::join(found.sizes(), ", "),
                                                  fmt::join(shape, ", "))
                                    : name + " is missing");
  return at::zeros({}, options).expand(shape);
}

at::Tensor NetworkWeights::take(const std::string& name, at::IntArrayRef shape) {
  return take_as(name, shape, c10::typeMetaToScalarType(options_.dtype()));
}

at::Tensor NetworkWeights::take_wide(const std::string& name, at::IntArrayRef shape) {
  return take_as(name, shape, wide_type(c10::typeMetaToScalarType(options_.dtype())));
}

void NetworkWeights::finish(std::string_view network) const {
  if (faults_.empty()) return;
  std::vector<std::string> said = faults_;
  if (said.size() > 8) said.resize(8);
  fail("{} is not a complete {} ({} problems): {}{}; run sgf inspect to list its tensors", origin_, network,
       faults_.size(), fmt::join(said, "; "), faults_.size() > said.size() ? "; ..." : "");
}

TensorFile open_network_file(const std::filesystem::path& path) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const bool is_torch = !is_safetensors(file->bytes()) && looks_like_torch_archive(file->bytes());
  return is_torch ? read_torch_archive(std::move(file), {.torchscript = true}) : read_tensor_file(std::move(file));
}

NetworkWeights weights_of_file(const TensorFile& file, at::TensorOptions options, const std::string& prefix) {
  const auto find = [file, prefix](const std::string& name, at::IntArrayRef) {
    const TensorEntry* entry = file.find(prefix + name);
    return entry == nullptr ? at::Tensor() : map_tensor(file, *entry);
  };
  return {find, options, file.files.empty() ? "the file" : file.files.front()->path().string()};
}

NetworkWeights weights_of_tensors(const NamedTensors& tensors, at::TensorOptions options, const std::string& origin) {
  const auto find = [held = std::map<std::string, at::Tensor>(tensors.begin(), tensors.end())](const std::string& name,
                                                                                               at::IntArrayRef) {
    const auto found = held.find(name);
    return found == held.end() ? at::Tensor() : found->second;
  };
  return {find, options, origin};
}

}  // namespace sgf
