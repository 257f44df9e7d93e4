#include "lab/preference/preference_json.h"

#include "sgf/core/in_quotes.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/strict_json.h"

#include <algorithm>

namespace sgf {
namespace {

constexpr int64_t kStudyVersion = 1;
constexpr JsonLimits kStudyLimits{.depth = 8, .array_length = 100000};

}  // namespace

std::string PreferenceReader::read_sha256(const char* key) const {
  const auto text = read<std::string>(key);
  const bool is_hash = text.size() == 64 && std::ranges::all_of(text, [](char c) {
                         return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                       });
  SGF_CHECK(is_hash, "{}: \"{}\" must be a SHA-256 of 64 digits, got {}", place_, key, in_quotes(text));
  return text;
}

nlohmann::json::array_t PreferenceReader::read_list(const char* key) const {
  auto list = read<nlohmann::json::array_t>(key);
  SGF_CHECK(!list.empty(), "{}: \"{}\" must not be empty", place_, key);
  return list;
}

nlohmann::json read_preference_file(const std::filesystem::path& path, const char* mark, const char* what) {
  const auto file = MappedFile::open(path);
  nlohmann::json document = parse_strict_json(file->text(), path.string(), kStudyLimits);
  SGF_CHECK(document.is_object() && document.contains(mark), "{}: is not a {}: it lacks \"{}\"", path.string(), what,
            mark);
  SGF_CHECK(document[mark] == kStudyVersion, "{}: is a {} of version {}, but this program supports {}", path.string(),
            what, document[mark].dump().substr(0, 60), kStudyVersion);
  return document;
}

}  // namespace sgf
