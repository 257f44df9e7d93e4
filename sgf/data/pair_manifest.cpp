#include "sgf/data/pair_manifest.h"

#include "sgf/core/atomic_file.h"
#include "sgf/core/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kFormat = "sgf ode pairs 1";

Json read_json_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  check(file.good(), "data", "{}: cannot be read", path.string());
  Json json = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  check(json.is_object(), "data", "{}: not a JSON object", path.string());
  return json;
}

PairOrder order_from(const Json& j) {
  PairOrder o;
  j.at("stage").get_to(o.stage);
  j.at("teacher").get_to(o.teacher);
  j.at("data").get_to(o.data);
  j.at("seed").get_to(o.seed);
  j.at("guidance").get_to(o.guidance);
  j.at("steps").get_to(o.steps);
  j.at("shift").get_to(o.shift);
  j.at("timesteps").get_to(o.timesteps);
  j.at("latent").get_to(o.latent);
  j.at("context").get_to(o.context);
  j.at("count").get_to(o.count);
  j.at("per_shard").get_to(o.per_shard);
  return o;
}

PairShard shard_from(const Json& j) {
  return {j.at("file").get<std::string>(), j.at("first").get<int64_t>(), j.at("count").get<int64_t>(),
          j.at("bytes").get<uint64_t>(), j.at("sha256").get<std::string>()};
}

template <class Read>
auto read_or_refuse(const fs::path& path, const Read& read) {
  const Json json = read_json_file(path);
  try {
    check(json.at("format") == kFormat, "data", "{}: is of format {}, '{}' was expected", path.string(),
          json.at("format").dump(), kFormat);
    return read(json);
  } catch (const Json::exception& error) {
    fail("data", "{}: damaged: {}", path.string(), error.what());
  }
}

void check_order(const PairOrder& o, const fs::path& path) {
  check(o.count > 0 && o.per_shard > 0 && o.latent.size() == 4 && !o.timesteps.empty(), "data",
        "{}: not an order for pairs", path.string());
}

// Empty, but for an order that another worker is writing just now.
bool is_free_for_pairs(const fs::path& folder) {
  const auto is_order = [](const fs::directory_entry& entry) {
    return entry.path().filename().string().find("order.json") != std::string::npos;
  };
  return std::all_of(fs::directory_iterator(folder), fs::directory_iterator(), is_order);
}

int64_t whole_shards(const fs::path& folder, const PairOrder& order) {
  int64_t whole = 0;
  for (int64_t i = 0; i < order.shards(); ++i) whole += fs::exists(shard_mark(folder, i)) ? 1 : 0;
  return whole;
}

}  // namespace

fs::path order_file(const fs::path& folder) { return folder / "order.json"; }
fs::path manifest_file(const fs::path& folder) { return folder / "manifest.json"; }
fs::path shard_file(const fs::path& folder, int64_t shard) {
  return folder / fmt::format("shard_{:06}.safetensors", shard);
}
fs::path shard_mark(const fs::path& folder, int64_t shard) { return folder / fmt::format("shard_{:06}.json", shard); }

Json to_json(const PairOrder& o) {
  return {{"format", kFormat},        {"stage", o.stage},       {"teacher", o.teacher}, {"data", o.data},
          {"seed", o.seed},           {"guidance", o.guidance}, {"steps", o.steps},     {"shift", o.shift},
          {"timesteps", o.timesteps}, {"latent", o.latent},     {"context", o.context}, {"count", o.count},
          {"per_shard", o.per_shard}};
}

Json to_json(const PairShard& s) {
  return {{"format", kFormat}, {"file", s.file},   {"first", s.first},
          {"count", s.count},  {"bytes", s.bytes}, {"sha256", s.sha256}};
}

PairOrder read_pair_order(const fs::path& path) {
  PairOrder order = read_or_refuse(path, order_from);
  check_order(order, path);
  return order;
}

PairShard read_pair_shard(const fs::path& path) { return read_or_refuse(path, shard_from); }

void claim_pair_folder(const fs::path& folder, const PairOrder& order) {
  fs::create_directories(folder);
  const fs::path path = order_file(folder);
  if (!fs::exists(path)) {
    check(is_free_for_pairs(folder), "data", "{}: holds files that are no pairs; give the pairs a folder of their own",
          folder.string());
    write_json_file(path, to_json(order));
  }
  // Read back, whoever wrote it: of several workers that begin together one is the last.
  const Json there = to_json(read_pair_order(path)), here = to_json(order);
  for (const auto& [key, value] : here.items())
    check(there.at(key) == value, "data",
          "{}: was begun with another order: {} {} there, {} here; give these a folder "
          "of their own (--out)",
          folder.string(), key, there.at(key).dump(), value.dump());
}

PairManifest read_pair_manifest(const fs::path& folder) {
  check(fs::exists(order_file(folder)), "data", "{}: holds no ODE pairs; sgf pairs makes them", folder.string());
  if (!fs::exists(manifest_file(folder))) {
    const PairOrder order = read_pair_order(order_file(folder));
    fail("data", "{}: {} of {} shards are whole; sgf pairs with the same settings makes the rest", folder.string(),
         whole_shards(folder, order), order.shards());
  }
  PairManifest manifest = read_or_refuse(manifest_file(folder), [](const Json& json) {
    PairManifest read{order_from(json.at("order")), {}};
    for (const Json& shard : json.at("shards")) read.shards.push_back(shard_from(shard));
    return read;
  });
  check_order(manifest.order, manifest_file(folder));
  check(static_cast<int64_t>(manifest.shards.size()) == manifest.order.shards(), "data", "{}: names {} shards of {}",
        manifest_file(folder).string(), manifest.shards.size(), manifest.order.shards());
  for (const PairShard& shard : manifest.shards) {
    const fs::path path = folder / fs::path(shard.file).filename();
    check(fs::exists(path) && fs::file_size(path) == shard.bytes, "data",
          "{}: is missing or of another size than the manifest says; sgf pairs makes it again", path.string());
  }
  return manifest;
}

void write_json_file(const fs::path& path, const Json& json) {
  AtomicFile file(path);
  file.write(json.dump(1) + '\n');
  file.commit();
}

}  // namespace sgf
