#include "sgf/streaming/stream_note.h"

#include "sgf/core/error.h"
#include "sgf/files/strict_json.h"

namespace sgf {
namespace {

constexpr const char* kOrderKey = "order";
constexpr const char* kPlacesKey = "places";

nlohmann::json metadata_json(const TensorFile& file, const std::filesystem::path& path, const char* key) {
  const auto found = file.metadata.find(key);
  SGF_CHECK(found != file.metadata.end(), "{}: the metadata of the saved stream lacks {}", path.string(), key);
  return parse_strict_json(found->second, fmt::format("{}: the saved stream's {}", path.string(), key));
}

nlohmann::json place_json(const SinkPlace& place) { return {{"pictures", place.pictures}, {"bytes", place.bytes}}; }

// Counts of more than 63 bits become negative.
bool is_count(const nlohmann::json& value) { return value.is_number_integer() && value.get<int64_t>() >= 0; }

SinkPlace place_of(const nlohmann::json& places, const char* key, const std::filesystem::path& path) {
  const nlohmann::json place = places.is_object() ? places.value(key, nlohmann::json()) : nlohmann::json();
  const bool is_whole = place.is_object() && is_count(place.value("pictures", nlohmann::json())) &&
                        is_count(place.value("bytes", nlohmann::json()));
  SGF_CHECK(is_whole, "{}: the saved stream lacks the end of its {}", path.string(), key);
  return {place["pictures"].get<int64_t>(), place["bytes"].get<int64_t>()};
}

}  // namespace

std::map<std::string, std::string> to_metadata(const StreamNote& note) {
  const nlohmann::json places{{"pictures", place_json(note.pictures)}, {"latents", place_json(note.latents)}};
  return {{kOrderKey, order_text(note.order)}, {kPlacesKey, places.dump()}};
}

StreamNote read_stream_note(const TensorFile& file, const std::filesystem::path& path) {
  StreamNote note{.order = order_from_json(metadata_json(file, path, kOrderKey), path.string())};
  const nlohmann::json places = metadata_json(file, path, kPlacesKey);
  note.pictures = place_of(places, "pictures", path);
  note.latents = place_of(places, "latents", path);
  return note;
}

}  // namespace sgf
