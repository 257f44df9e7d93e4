#include "sgf/rollout/record_file.h"

#include "sgf/core/error.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/tensors.h"

#include <ATen/ATen.h>

#include <charconv>

namespace sgf {
namespace {

constexpr const char* kKind = "exit record";

int64_t read_count(const TensorFile& file, const std::filesystem::path& path, const std::string& key) {
  const auto found = file.metadata.find(key);
  SGF_CHECK(found != file.metadata.end(), "{}: the record does not say its {}", path.string(), key);
  const std::string& text = found->second;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  SGF_CHECK(error == std::errc() && end == text.data() + text.size(), "{}: {} is a whole number, got '{}'",
            path.string(), key, text);
  return value;
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
  stamp(metadata, kKind);
  save_tensors(path,
               {{"t", record.t},
                {"noisy", record.noisy},
                {"prediction", record.prediction},
                {"context", record.context},
                {"text", saved.text}},
               metadata);
}

SavedRecord load_record(const std::filesystem::path& path) {
  const TensorFile file = open_checkpoint(path, kKind);
  const at::Tensor noisy = map_tensor(file, "noisy").clone();
  SGF_CHECK(noisy.dim() == 5, "{}: noisy latents are [B, F, C, H, W], got {} dimensions", path.string(), noisy.dim());
  SavedRecord saved{
      {{.sink_frames = read_count(file, path, "sink_frames"), .fifo_frames = read_count(file, path, "fifo_frames")},
       BlockLayout(noisy.size(1), read_count(file, path, "block_frames"), read_count(file, path, "first_block_frames")),
       map_tensor(file, "t").clone(),
       noisy,
       map_tensor(file, "prediction").clone(),
       map_tensor(file, "context").clone(),
       read_count(file, path, "given_frames")},
      map_tensor(file, "text").clone()};
  saved.record.validate();
  return saved;
}

}  // namespace sgf
