#include "sgf/dataset/pair_manifest.h"

#include "sgf/core/checked_size.h"
#include "sgf/core/error.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/sha256.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kPairFormat = "sgf ode pairs 1";

PairOrder order_from(const Json& j) {
  PairOrder o;
  j.at("stage").get_to(o.stage);
  j.at("teacher").get_to(o.teacher);
  j.at("data").get_to(o.data);
  o.negative_prompt = j.value("negative_prompt", "");  // older folders have neither
  o.dtype = j.value("dtype", "");
  j.at("seed").get_to(o.seed);
  j.at("guidance").get_to(o.guidance);
  o.steps = integer_of(j.at("steps"));
  j.at("shift").get_to(o.shift);
  j.at("timesteps").get_to(o.timesteps);
  o.latent = integers_of(j.at("latent"));
  j.at("context").get_to(o.context);
  o.count = integer_of(j.at("count"));
  o.per_shard = integer_of(j.at("per_shard"));
  return o;
}

PairShard shard_from(const Json& j) {
  return {j.at("file").get<std::string>(), integer_of(j.at("first")), integer_of(j.at("count")),
          j.at("bytes").get<uint64_t>(), j.at("sha256").get<std::string>()};
}

// Bytes of all pairs, a clip and its states each, in float32. nullopt on overflow.
std::optional<int64_t> bytes_of(const PairOrder& o) {
  const std::optional<int64_t> latent = checked_product(o.latent);
  return latent ? checked_product({o.count, static_cast<int64_t>(o.timesteps.size()) + 2, *latent, 4}) : std::nullopt;
}

// Checks that the shards follow each other and have the lengths that the order implies.
void check_shards(const PairManifest& manifest, const fs::path& path) {
  const PairOrder& order = manifest.order;
  SGF_CHECK(static_cast<int64_t>(manifest.shards.size()) == order.shards(), "{}: lists {} shards, expected {}",
            path.string(), manifest.shards.size(), order.shards());
  int64_t first = 0;
  for (const PairShard& shard : manifest.shards) {
    const int64_t count = std::min(order.per_shard, order.count - first);
    SGF_CHECK(shard.first == first && shard.count == count,
              "{}: damaged: {} should have {} pairs from {} on, but the manifest says {} from {} on", path.string(),
              shard.file, count, first, shard.count, shard.first);
    first += count;
  }
}

}  // namespace

void check_pair_order(const PairOrder& o, const std::string& what) {
  SGF_CHECK(
      o.count > 0 && o.per_shard > 0 && o.latent.size() == 4 && std::ranges::min(o.latent) > 0 && !o.timesteps.empty(),
      "{}: is not an order for pairs", what);
  SGF_CHECK(bytes_of(o).has_value(), "{}: {} pairs of latents [{}] are larger than any disk", what, o.count,
            fmt::join(o.latent, ", "));
}

int64_t whole_shards(const fs::path& folder) {
  return std::ranges::count_if(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return name.starts_with("shard_") && name.ends_with(".json");
  });
}

fs::path shard_file(const fs::path& folder, int64_t shard) {
  return folder / fmt::format("shard_{:06}.safetensors", shard);
}
fs::path shard_mark(const fs::path& folder, int64_t shard) { return folder / fmt::format("shard_{:06}.json", shard); }

Json to_json(const PairOrder& o) {
  return {{"format", kPairFormat},
          {"stage", o.stage},
          {"teacher", o.teacher},
          {"data", o.data},
          {"negative_prompt", o.negative_prompt},
          {"dtype", o.dtype},
          {"seed", o.seed},
          {"guidance", o.guidance},
          {"steps", o.steps},
          {"shift", o.shift},
          {"timesteps", o.timesteps},
          {"latent", o.latent},
          {"context", o.context},
          {"count", o.count},
          {"per_shard", o.per_shard}};
}

Json to_json(const PairShard& s) {
  return {{"format", kPairFormat}, {"file", s.file},   {"first", s.first},
          {"count", s.count},      {"bytes", s.bytes}, {"sha256", s.sha256}};
}

PairOrder read_pair_order(const fs::path& path) {
  PairOrder order = read_json_file(path, kPairFormat, order_from);
  check_pair_order(order, path.string() + ": damaged");
  return order;
}

std::optional<PairShard> find_pair_shard(const fs::path& folder, int64_t shard) {
  return find_mark(shard_mark(folder, shard), kPairFormat, shard_from);
}

void claim_pair_folder(const fs::path& folder, const PairOrder& order) {
  claim_shard_folder(folder, to_json(order), "pairs");
}

PairManifest read_pair_manifest(const fs::path& folder) {
  SGF_CHECK(fs::exists(order_file(folder)), "{}: contains no ODE pairs; run sgf pairs to make them", folder.string());
  if (!fs::exists(manifest_file(folder))) {
    const PairOrder order = read_pair_order(order_file(folder));
    fail("{}: only {} of {} shards are complete; run sgf pairs with the same settings to make the rest",
         folder.string(), whole_shards(folder), order.shards());
  }
  PairManifest manifest = read_json_file(manifest_file(folder), kPairFormat, [](const Json& json) {
    PairManifest read{order_from(json.at("order")), {}};
    for (const Json& shard : json.at("shards")) read.shards.push_back(shard_from(shard));
    return read;
  });
  check_pair_order(manifest.order, manifest_file(folder).string() + ": damaged");
  check_shards(manifest, manifest_file(folder));
  for (const PairShard& shard : manifest.shards) {
    const fs::path path = folder / fs::path(shard.file).filename();
    SGF_CHECK(fs::exists(path) && fs::file_size(path) == shard.bytes,
              "{}: is missing or its size does not match the manifest; run sgf pairs again", path.string());
  }
  return manifest;
}

std::string pair_identity(const PairManifest& manifest) {
  Sha256 hash;
  hash.update(to_json(manifest.order).dump());
  for (const PairShard& shard : manifest.shards) hash.update(shard.sha256);
  return hash.hex();
}

}  // namespace sgf
