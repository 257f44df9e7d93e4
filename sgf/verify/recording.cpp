#include "sgf/verify/recording.h"

#include "sgf/core/file_error.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/tensors.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// Expected values of a formula have no inputs, so their names have no prefix.
bool is_expected(std::string_view name) {
  const bool has_prefix = name.find('.') != std::string_view::npos;
  const bool is_table = starts_with(name, "table.") || starts_with(name, "map.");
  return !has_prefix || is_table || starts_with(name, "out.") || starts_with(name, "grad");
}

// Values that are not JSON belong to other programs; only reading one is an error.
nlohmann::json parse_settings(const TensorFile& file) {
  nlohmann::json settings = nlohmann::json::object();
  for (const auto& [key, value] : file.metadata)
    if (std::optional<nlohmann::json> parsed = try_parse_json(value)) settings[key] = *std::move(parsed);
  return settings;
}

}  // namespace

Recording Recording::open(const std::filesystem::path& path) {
  Recording recording;
  recording.path_ = path;
  recording.file_ = open_tensor_file(path);
  recording.settings_ = parse_settings(recording.file_);
  SGF_CHECK_FILE(recording.has_setting("kind"), path,
                 "the metadata lacks `kind`, so this is not a reference recording; see tools/record_reference.py for "
                 "how to make "
                 "one");
  recording.kind_ = recording.text("kind");
  const bool names_file = recording.has_setting("weights") && recording.setting("weights").is_string();
  if (!names_file) return recording;
  const std::filesystem::path weights = recording.text("weights");
  SGF_CHECK_FILE(weights.has_filename() && weights == weights.filename(), path,
                 "`weights` must be the name of a file in the recording's folder, got '{}'", weights.string());
  recording.weights_ = open_tensor_file(path.parent_path() / weights);
  return recording;
}

const nlohmann::json& Recording::setting(const std::string& key) const {
  SGF_CHECK_FILE(has_setting(key), path_, "a {} recording needs the metadata key '{}', in JSON", kind_, key);
  return settings_.at(key);
}

double Recording::number(const std::string& key) const {
  const nlohmann::json& value = setting(key);
  SGF_CHECK_FILE(value.is_number(), path_, "metadata key '{}' must be a number, got {}", key, value.dump());
  return value.get<double>();
}

int64_t Recording::integer(const std::string& key) const {
  const nlohmann::json& value = setting(key);
  const bool fits =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t{INT64_MAX});
  SGF_CHECK_FILE(fits, path_, "metadata key '{}' must be an integer, got {}", key, value.dump());
  return integer_of(value);
}

std::string Recording::text(const std::string& key) const {
  const nlohmann::json& value = setting(key);
  SGF_CHECK_FILE(value.is_string(), path_, "metadata key '{}' must be a string, got {}", key, value.dump());
  return value.get<std::string>();
}

bool Recording::has_input(std::string_view name) const { return file_.find("in." + std::string(name)) != nullptr; }

at::Tensor Recording::input(std::string_view name) const {
  const at::Tensor stored = map_tensor(file_, "in." + std::string(name));
  return stored.is_floating_point() ? stored.to(at::kDouble) : stored;
}

const TensorFile& Recording::file_with(std::string_view prefix) const {
  for (const TensorFile* file : {&file_, &weights_})
    for (const TensorEntry& entry : file->entries)
      if (starts_with(entry.name, prefix)) return *file;
  fail_in_file(path_, "neither this file nor the one named by `weights` holds tensors '{}*'", prefix);
}

std::vector<std::string> Recording::expected_names() const {
  std::vector<std::string> names;
  for (const TensorEntry& entry : file_.entries)
    if (is_expected(entry.name)) names.push_back(entry.name);
  SGF_CHECK_FILE(!names.empty(), path_, "has no expected outputs (out.* or grad*.*) to verify");
  return names;
}

at::Tensor Recording::expected(const std::string& name) const { return map_tensor(file_, name).to(at::kDouble); }

}  // namespace sgf
