#include "sgf/rollout/record_file.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/tensors.h"

#include <ATen/ATen.h>

#include <charconv>
#include <type_traits>

namespace sgf {
namespace {

constexpr const char* kKind = "exit record";

template <class T>
T read_number(const TensorFile& file, const std::filesystem::path& path, const std::string& key) {
  const auto found = file.metadata.find(key);
  SGF_CHECK(found != file.metadata.end(), "{}: the metadata of this exit record lacks {}", path.string(), key);
  const std::string& text = found->second;
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  SGF_CHECK(error == std::errc() && end == text.data() + text.size(), "{}: {} must be a {}, got '{}'", path.string(),
            key, std::is_integral_v<T> ? "whole number" : "number", text);
  return value;
}

int64_t read_count(const TensorFile& file, const std::filesystem::path& path, const std::string& key) {
  return read_number<int64_t>(file, path, key);
}

// The default rule, t / 1000, is not written: such records keep their format.
void write_sigma(std::map<std::string, std::string>& metadata, const SigmaRule& rule) {
  if (rule.lookup == SigmaLookup::kExact) return;
  metadata["sigma_lookup"] = enum_name(rule.lookup);
  metadata["sigma_table_shift"] = fmt::format("{}", rule.shift);
  metadata["sigma_table_entries"] = std::to_string(rule.entries);
}

SigmaRule read_sigma(const TensorFile& file, const std::filesystem::path& path) {
  const auto found = file.metadata.find("sigma_lookup");
  if (found == file.metadata.end()) return {};
  const auto lookup = enum_from_name<SigmaLookup>(found->second);
  SGF_CHECK(lookup, "{}: sigma_lookup must be one of {}, got {}", path.string(), all_enum_names<SigmaLookup>(),
            in_quotes(found->second));
  const SigmaRule rule{.lookup = *lookup,
                       .shift = read_number<double>(file, path, "sigma_table_shift"),
                       .entries = read_count(file, path, "sigma_table_entries")};
  SGF_CHECK(rule.shift > 0 && rule.entries >= 1,
            "{}: the sigma table needs a positive shift and 1 or more entries, got shift {} and {} entries",
            path.string(), rule.shift, rule.entries);
  return rule;
}

}  // namespace

void save_record(const std::filesystem::path& path, const SavedRecord& saved) {
  const ExitRecord& record = saved.record;
  record.validate();
  const BlockLayout& layout = record.layout;
  std::map<std::string, std::string> metadata{
      {"sink_frames", std::to_string(record.policy.sink_frames)},
      {"fifo_frames", std::to_string(record.policy.fifo_frames)},
      {"first_block_frames", std::to_string(layout.block(0).frames())},
      {"block_frames", std::to_string(layout.block(layout.count() - 1).frames())},
      {"given_frames", std::to_string(record.given_frames)},
  };
  write_sigma(metadata, record.sigma);
  stamp(metadata, kKind);
  NamedTensors tensors{{"t", record.t},
                       {"noisy", record.noisy},
                       {"prediction", record.prediction},
                       {"context", record.context},
                       {"text", saved.text}};
  if (record.first_t.defined()) tensors.emplace_back("first_t", record.first_t);
  save_tensors(path, tensors, metadata);
}

SavedRecord load_record(const std::filesystem::path& path) {
  const TensorFile file = open_checkpoint(path, kKind);
  const at::Tensor noisy = map_tensor(file, "noisy").clone();
  SGF_CHECK(noisy.dim() == 5, "{}: noisy latents must have the 5 dimensions [B, F, C, H, W], got {}", path.string(),
            noisy.dim());
  SavedRecord saved{
      {{.sink_frames = read_count(file, path, "sink_frames"), .fifo_frames = read_count(file, path, "fifo_frames")},
       BlockLayout(noisy.size(1), read_count(file, path, "block_frames"), read_count(file, path, "first_block_frames")),
       map_tensor(file, "t").clone(),
       noisy,
       map_tensor(file, "prediction").clone(),
       map_tensor(file, "context").clone(),
       read_count(file, path, "given_frames"),
       read_sigma(file, path),
       file.find("first_t") == nullptr ? at::Tensor() : map_tensor(file, "first_t").clone()},
      map_tensor(file, "text").clone()};
  saved.record.validate();
  return saved;
}

}  // namespace sgf
