#include "sgf/files/checkpoint_format.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/notice.h"

#include <charconv>
#include <optional>

namespace sgf {
namespace {

std::optional<int64_t> parse_version(std::string_view text) {
  int64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc{} || end != text.data() + text.size() || version < 1) return std::nullopt;
  return version;
}

}  // namespace

void stamp(std::map<std::string, std::string>& metadata, std::string_view kind) {
  metadata[kFormatVersionKey] = std::to_string(kCheckpointFormat);
  metadata[kCheckpointKindKey] = kind;
}

bool is_own_checkpoint(const TensorFile& file) { return file.metadata.contains(kFormatVersionKey); }

void check_format(const TensorFile& file, const std::filesystem::path& path) {
  if (!is_own_checkpoint(file)) return;
  const std::string& text = file.metadata.at(kFormatVersionKey);
  const std::optional<int64_t> version = parse_version(text);
  SGF_CHECK(version.has_value(), "{}: its checkpoint format is {}, expected a version number", path.string(),
            in_quotes(text));
  SGF_CHECK(*version <= kCheckpointFormat,
            "{}: has checkpoint format {}, but this program reads formats up to {}; use a newer sgf", path.string(),
            *version, kCheckpointFormat);
}

void check_own_file(const TensorFile& file, const std::filesystem::path& path, std::string_view advice) {
  check_format(file, path);
  check_hashes(file, path, HashCheck::kAll, advice);
  if (is_own_checkpoint(file) && !has_hashes(file))
    notice_once("no hashes", fmt::format("{}: written by an earlier version of sgf, without hashes: damage to this "
                                         "file, or to others of that version, cannot be detected",
                                         path.string()));
}

TensorFile open_checkpoint(const std::filesystem::path& path, std::string_view kind, HashCheck which,
                           std::string_view advice) {
  TensorFile file = open_tensor_file(path);
  check_format(file, path);                              // a newer format may hash differently
  check_hashes(file, path, HashCheck::kHeader, advice);  // the stamp may be damaged too
  SGF_CHECK(is_own_checkpoint(file), "{}: is not an sgf checkpoint: it has no {}", path.string(), kFormatVersionKey);
  const auto found = file.metadata.find(kCheckpointKindKey);
  const std::string came = found == file.metadata.end() ? "" : found->second;
  SGF_CHECK(came == kind, "{}: is a checkpoint of kind {}, expected {}", path.string(), in_quotes(came),
            in_quotes(kind));
  if (which == HashCheck::kAll) check_own_file(file, path, advice);
  return file;
}

}  // namespace sgf
