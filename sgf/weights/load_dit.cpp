#include "sgf/weights/load_dit.h"

#include "sgf/core/file_error.h"
#include "sgf/files/tensors.h"
#include "sgf/weights/merge_lora.h"
#include "sgf/weights/stored_config.h"
#include "sgf/weights/weight_folder.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

namespace sgf {
namespace {

// All problems of a file for this architecture in one message, so that users can fix them together.
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

struct OpenedDit {
  TensorFile file;
  DitWeightIndex index;  // points into the file
  DitConfig config;
};

OpenedDit open_dit(const std::filesystem::path& named) {
  const std::filesystem::path path = find_dit_file(named);
  OpenedDit opened{.file = open_tensor_file(path), .index = {}, .config = {}};
  opened.index = index_dit_weights(opened.file);
  const std::optional<DitConfig> stored = find_stored_config(opened.file, path).config;
  opened.config = stored ? infer_dit_sizes(opened.index) : infer_dit_config(opened.index);
  if (!stored) return opened;
  opened.config.num_heads = stored->num_heads;
  opened.config.text_len = stored->text_len;
  opened.config.eps = stored->eps;
  return opened;
}

}  // namespace

void check_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index) {
  std::vector<std::string> found = faults(config, index);
  if (found.empty()) return;
  const size_t total = found.size();
  if (total > 8) found.resize(8);
  const std::string path = file.files.empty() ? "the file" : file.files[0]->path().string();
  const std::string hint = file.files.size() == 1 ? shard_hint(path) : "";
  fail_in_file(path, "is not a DiT of dim {} with {} layers ({} problems): {}{}{}{}", config.dim, config.num_layers,
               total, fmt::join(found, "; "), total > found.size() ? "; ..." : "", hint.empty() ? "" : "; ", hint);
}

DitWeights load_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index,
                            at::TensorOptions options) {
  return load_dit_weights(config, file, index, options, LoraSum());
}

DitWeights load_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index,
                            at::TensorOptions options, const LoraSum& loras) {
  config.validate();
  check_dit_weights(config, file, index);
  DitWeights weights = dit_weights_to_fill(config);
  visit_weights(weights, [&](const std::string& name, at::Tensor& tensor) {
    const TensorEntry& stored = *index.tensors.at(name);
    tensor = loras.changes(name) ? loras.merged(name, map_tensor(file, stored)).to(options).contiguous()
                                 : copy_tensor(file, stored, options);
  });
  return weights;
}

DitConfig read_dit_config(const std::filesystem::path& path) { return open_dit(path).config; }

CausalDit load_dit(const std::filesystem::path& path, at::TensorOptions options, DitOptions dit_options) {
  const OpenedDit opened = open_dit(path);
  return CausalDit(opened.config, load_dit_weights(opened.config, opened.file, opened.index, options), dit_options);
}

}  // namespace sgf
