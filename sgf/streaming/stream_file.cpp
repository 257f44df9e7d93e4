#include "sgf/streaming/stream_file.h"

#include "sgf/core/checkpoint_format.h"
#include "sgf/core/error.h"
#include "sgf/core/strict_json.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

constexpr const char* kStreamKind = "stream";
constexpr const char* kOrderKey = "order";
constexpr const char* kPlacesKey = "places";
constexpr std::string_view kLatentsPrefix = "latents.", kDecoderPrefix = "decoder.";

void add_prefixed(NamedTensors& all, std::string_view prefix, const NamedTensors& part) {
  for (const auto& [name, tensor] : part) all.emplace_back(std::string(prefix) + name, tensor);
}

nlohmann::json metadata_json(const TensorFile& file, const std::filesystem::path& path, const char* key) {
  const auto found = file.metadata.find(key);
  check(found != file.metadata.end(), "streaming", "{}: the saved stream does not say its {}", path.string(), key);
  return parse_strict_json(found->second, fmt::format("{}: the saved stream's {}", path.string(), key));
}

nlohmann::json place_json(const SinkPlace& place) { return {{"pictures", place.pictures}, {"bytes", place.bytes}}; }

SinkPlace place_of(const nlohmann::json& places, const char* key, const std::filesystem::path& path) {
  const nlohmann::json place = places.is_object() ? places.value(key, nlohmann::json()) : nlohmann::json();
  const bool is_whole = place.is_object() && place.contains("pictures") && place.contains("bytes") &&
                        place["pictures"].is_number_integer() && place["bytes"].is_number_integer();
  check(is_whole, "streaming", "{}: the saved stream does not say where its {} end", path.string(), key);
  return {place["pictures"].get<int64_t>(), place["bytes"].get<int64_t>()};
}

}  // namespace

void save_stream(const std::filesystem::path& path, const SavedStream& stream) {
  NamedTensors tensors;
  add_prefixed(tensors, kLatentsPrefix, stream.snapshot.latents);
  add_prefixed(tensors, kDecoderPrefix, stream.snapshot.decoder);
  const nlohmann::json places{{"pictures", place_json(stream.pictures)}, {"latents", place_json(stream.latents)}};
  std::map<std::string, std::string> metadata{{kOrderKey, to_json(stream.order).dump()}, {kPlacesKey, places.dump()}};
  stamp(metadata, kStreamKind);
  save_tensors(path, tensors, metadata);
}

SavedStream load_stream(const std::filesystem::path& path) {
  const TensorFile file = open_checkpoint(path, kStreamKind);
  SavedStream stream{.order = order_from_json(metadata_json(file, path, kOrderKey), path.string())};
  const nlohmann::json places = metadata_json(file, path, kPlacesKey);
  stream.pictures = place_of(places, "pictures", path);
  stream.latents = place_of(places, "latents", path);
  for (const TensorEntry& entry : file.entries) {
    const bool is_latents = entry.name.starts_with(kLatentsPrefix);
    NamedTensors& part = is_latents ? stream.snapshot.latents : stream.snapshot.decoder;
    const size_t prefix = (is_latents ? kLatentsPrefix : kDecoderPrefix).size();
    part.emplace_back(entry.name.substr(prefix), map_tensor(file, entry).clone());
  }
  return stream;
}

}  // namespace sgf
