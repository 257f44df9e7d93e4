#include "sgf/training/start_file.h"

#include "sgf/core/checkpoint_format.h"
#include "sgf/core/crc32.h"
#include "sgf/core/error.h"
#include "sgf/model/stored_config.h"
#include "sgf/model/weight_folder.h"
#include "sgf/training/checkpoint_store.h"
#include "sgf/training/run_folder.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// The step in the name of a checkpoint folder, "step_00000010".
std::optional<int64_t> step_of_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const std::string digits = name.starts_with("step_") ? name.substr(5) : "";
  const bool is_number = !digits.empty() && digits.size() <= 18 &&
                         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? std::optional(std::stoll(digits)) : std::nullopt;
}

fs::path newest_checkpoint(const fs::path& run) {
  const CheckpointStore store(run / "checkpoints");
  const std::optional<int64_t> newest = store.newest();
  check(newest.has_value(), "training", "{}: the run has no checkpoint yet", run.string());
  return store.folder_of(*newest);
}

uint32_t checksum(const void* data, size_t bytes, uint32_t crc) {
  return crc32(std::span(static_cast<const std::byte*>(data), bytes), crc);
}

// All of a small tensor; of a large one its beginning, middle and end.
uint32_t sampled_checksum(std::span<const std::byte> bytes, uint32_t crc) {
  constexpr size_t kSample = 1 << 14;
  if (bytes.size() <= 3 * kSample) return crc32(bytes, crc);
  for (const size_t begin : {size_t{0}, bytes.size() / 2, bytes.size() - kSample})
    crc = crc32(bytes.subspan(begin, kSample), crc);
  return crc;
}

}  // namespace

StartFile find_start_file(const fs::path& path) {
  check(fs::exists(path), "training", "{}: no such weights or run folder", path.string());
  const fs::path folder = is_run_folder(path) ? newest_checkpoint(path) : path;
  if (!fs::exists(folder / "state.json")) return {find_dit_file(path), std::nullopt};
  const fs::path average = folder / "ema.safetensors";
  return {fs::exists(average) ? average : folder / "generator.safetensors", step_of_folder(folder)};
}

StartWeights open_start_weights(const fs::path& path) {
  StartWeights start{.path = find_start_file(path).path};
  start.file = open_tensor_file(start.path);
  check_format(start.file, start.path);
  start.index = index_dit_weights(start.file);
  return start;
}

std::string identity_of(const TensorFile& file) {
  uint32_t crc = 0;
  uint64_t bytes = 0;
  for (const TensorEntry& entry : file.entries) {
    const std::string row = fmt::format("{} {} {}", entry.name, static_cast<int>(entry.dtype), entry.shape);
    crc = sampled_checksum(file.bytes(entry), checksum(row.data(), row.size(), crc));
    bytes += entry.extent;
  }
  return fmt::format("{} tensors of {} bytes, checksum {:08x}", file.entries.size(), bytes, crc);
}

DitConfig read_teacher_config(const fs::path& path, const DitConfig& student) {
  const StartWeights start = open_start_weights(path);
  DitConfig config = student;
  const DitConfig sizes = infer_dit_sizes(start.index);
  if (sizes.dim != student.dim || sizes.num_layers != student.num_layers || sizes.ffn_dim != student.ffn_dim) {
    const std::optional<DitConfig> stored = find_stored_config(start.file, start.path).config;
    config = stored ? *stored : infer_dit_config(start.index);
    config.text_len = student.text_len;  // leaves no trace in weights
  }
  check(config.in_dim == student.in_dim && config.out_dim == student.out_dim && config.text_dim == student.text_dim &&
            config.patch_size == student.patch_size,
        "training", "{}: this teacher reads latents of {} channels and text rows of {}, the student {} and {}",
        start.path.string(), config.in_dim, config.text_dim, student.in_dim, student.text_dim);
  return config;
}

}  // namespace sgf
