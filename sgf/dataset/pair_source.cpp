#include "sgf/dataset/pair_source.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/sha256.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/tensors.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sgf {
namespace {

std::string caption_of(const TensorFile& file, int64_t pair, const std::filesystem::path& folder) {
  const auto found = file.metadata.find("captions");
  const nlohmann::json captions =
      found == file.metadata.end() ? nlohmann::json() : try_parse_json(found->second).value_or(nullptr);
  SGF_CHECK(captions.is_array() && pair < static_cast<int64_t>(captions.size()) &&
                captions[static_cast<size_t>(pair)].is_string(),
            "{}: a shard has no caption for its pair {}", folder.string(), pair);
  return captions[static_cast<size_t>(pair)].get<std::string>();
}

void check_rows(const TensorEntry& entry, int64_t pairs, const std::filesystem::path& path) {
  SGF_CHECK(!entry.shape.empty() && entry.shape.front() == pairs, "{}: its {} has the shape [{}], expected {} pairs",
            path.string(), in_quotes(entry.name), fmt::join(entry.shape, ", "), pairs);
}

}  // namespace

PairSource::PairSource(std::filesystem::path folder, uint64_t seed)
    : folder_(std::move(folder)),
      manifest_(read_pair_manifest(folder_)),
      epochs_(manifest_.order.count, seed),
      files_(manifest_.shards.size()) {}

const TensorFile& PairSource::shard(int64_t number) const {
  const auto index = static_cast<size_t>(number);
  std::optional<TensorFile>& file = files_.at(index);
  if (file) return *file;
  const std::filesystem::path path = shard_file(folder_, number);
  SGF_CHECK(sha256_of_file(path) == manifest_.shards.at(index).sha256,
            "{}: does not match the manifest: it is damaged or was changed; run sgf pairs with the same settings "
            "to make it again",
            path.string());
  file = open_checkpoint(path, "ode pairs", HashCheck::kHeader);  // its bytes are covered by SHA-256
  for (const TensorEntry& entry : file->entries) check_rows(entry, manifest_.shards.at(index).count, path);
  return *file;
}

PairBatch PairSource::pairs(int64_t first, int64_t count, c10::Device device) const {
  PairBatch batch;
  std::vector<at::Tensor> states, ends, clips;
  for (int64_t place = first; place < first + count; ++place) {
    const int64_t number = epochs_.at(place), row = number % order().per_shard;
    const TensorFile& file = shard(number / order().per_shard);
    states.push_back(map_tensor(file, "states")[row]);
    ends.push_back(map_tensor(file, "end")[row]);
    if (file.find("data") != nullptr) clips.push_back(map_tensor(file, "data")[row]);
    batch.captions.push_back(caption_of(file, row, folder_));
  }
  batch.states = at::stack(states).to(device);
  batch.end = at::stack(ends).to(device);
  if (clips.size() == ends.size()) batch.data = at::stack(clips).to(device);
  return batch;
}

}  // namespace sgf
