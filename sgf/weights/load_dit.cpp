#include "sgf/weights/load_dit.h"

#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/weights/weight_folder.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

namespace sgf {
namespace {

// What is wrong with a file for this architecture, as one message: users fix all of it at once.
std::vector<std::string> faults(const DitConfig& config, const DitWeightIndex& index) {
  std::vector<std::string> out;
  for (const WeightShape& expected : expected_dit_weights(config)) {
    const auto found = index.tensors.find(expected.name);
    if (found == index.tensors.end())
      out.push_back(fmt::format("{} is missing", expected.name));
    else if (found->second->shape != expected.shape)
      out.push_back(fmt::format("{} is [{}], expected [{}]", expected.name, fmt::join(found->second->shape, ", "),
                                fmt::join(expected.shape, ", ")));
  }
  return out;
}

void check_complete(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index) {
  std::vector<std::string> found = faults(config, index);
  if (found.empty()) return;
  const size_t total = found.size();
  if (total > 8) found.resize(8);
  const std::string path = file.files.empty() ? "the file" : file.files[0]->path().string();
  const std::string hint = file.files.size() == 1 ? shard_hint(path) : "";
  fail("{} does not hold a DiT of dim {} with {} layers ({} faults): {}{}{}{}", path, config.dim, config.num_layers,
       total, fmt::join(found, "; "), total > found.size() ? "; ..." : "", hint.empty() ? "" : "; ", hint);
}

}  // namespace

DitWeights load_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index,
                            at::TensorOptions options) {
  config.validate();
  check_complete(config, file, index);
  DitWeights weights = dit_weights_to_fill(config);
  visit_weights(weights, [&](const std::string& name, at::Tensor& tensor) {
    tensor = map_tensor(file, *index.tensors.at(name)).to(options, /*non_blocking=*/false, /*copy=*/true).contiguous();
  });
  return weights;
}

}  // namespace sgf
