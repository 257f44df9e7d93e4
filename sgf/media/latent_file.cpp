#include "sgf/media/latent_file.h"

#include "sgf/core/checked_size.h"
#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/files/write_whole.h"
#include "sgf/media/video_output.h"

#include <ATen/ATen.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;

int64_t latent_bytes(const LatentFileSettings& settings) {
  return settings.channels * settings.height * settings.width * static_cast<int64_t>(c10::elementSize(settings.dtype));
}

std::string metadata_json(const LatentFileSettings& settings, const fs::path& path) {
  try {
    return nlohmann::json(settings.metadata).dump();
  } catch (const nlohmann::json::exception&) {
    fail("{}: its metadata is not UTF-8, which the format requires", path.string());
  }
}

std::string latent_header(const LatentFileSettings& settings, const std::string& metadata, int64_t count,
                          int64_t bytes) {
  return fmt::format(R"({{"__metadata__":{},"latents":{{"dtype":"{}","shape":[{},{},{},{}],"data_offsets":[0,{}]}}}})",
                     metadata, name_of(dtype_of(settings.dtype)), count, settings.channels, settings.height,
                     settings.width, bytes);
}

// Length and header of a file with this many latent frames. All counts give the same length.
std::string latent_head(const LatentFileSettings& settings, const fs::path& path, int64_t count) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::string metadata = metadata_json(settings, path);
  const uint64_t length = (latent_header(settings, metadata, kMost, kMost).size() + 7) / 8 * 8;
  std::string header = latent_header(settings, metadata, count, count * latent_bytes(settings));
  header.resize(length, ' ');
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + header;
}

bool begins_with(const fs::path& path, const std::string& head) {
  std::ifstream file(path, std::ios::binary);
  std::string there(head.size(), ' ');
  return file.read(there.data(), static_cast<std::streamsize>(there.size())) && there == head;
}

// A new name is on disk only once its folder is synced.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

class LatentFile::Part {
 public:
  Part(const fs::path& path, const LatentFileSettings& settings, const MaybePlace& from)
      : path_(path), settings_(settings), count_(from ? from->pictures : 0) {
    SGF_CHECK(checked_product({settings.channels, settings.height, settings.width, 8}).value_or(0) > 0,
              "{}: the size of latents must be positive and fit into memory, got [F, {}, {}, {}]", path.string(),
              settings.channels, settings.height, settings.width);
    from ? check_taken_up(*from) : begin();
  }

  void add(const at::Tensor& latents) {
    SGF_CHECK(latents.dim() == 4 && latents.size(1) == settings_.channels && latents.size(2) == settings_.height &&
                  latents.size(3) == settings_.width && latents.scalar_type() == settings_.dtype &&
                  latents.device().is_cpu(),
              "{}: expected latents [F, {}, {}, {}] of {} on the CPU, got [{}] of {} on {}", path_.string(),
              settings_.channels, settings_.height, settings_.width, toString(settings_.dtype),
              fmt::join(latents.sizes().begin(), latents.sizes().end(), ", "), toString(latents.scalar_type()),
              latents.device().str());
    take_up_now();
    const at::Tensor rows = latents.contiguous();
    output_->write({static_cast<const std::byte*>(rows.const_data_ptr()), rows.nbytes()});
    count_ += rows.size(0);
  }

  SinkPlace sync() {
    take_up_now();
    output_->sync();
    if (!std::exchange(is_name_synced_, true)) sync_folder_of(path_);
    return {count_, output_->size()};
  }

  void discard() const {
    std::error_code ignored;
    fs::remove(latent_part_of(path_), ignored);
  }

  void finish() {
    SGF_CHECK(count_ > 0, "{}: a latent file needs at least one latent frame, got none", path_.string());
    take_up_now();
    output_->finish();
    fill_in_header(count_);
    const bool is_renamed = ::rename(latent_part_of(path_).c_str(), path_.c_str()) == 0;
    SGF_CHECK(is_renamed, "{}: cannot be renamed to its final name: {}", path_.string(), std::strerror(errno));
    sync_folder_of(path_);
  }

 private:
  void begin() {
    output_ = open_video_output(latent_part_of(path_), true);
    output_->write_text(latent_head(settings_, path_, 0));
  }

  // Reads only: the file is changed when the first latents are added.
  void check_taken_up(const SinkPlace& from) {
    const fs::path file = growing_file();
    const auto head = static_cast<int64_t>(latent_head(settings_, path_, 0).size());
    const std::optional<int64_t> body = checked_product({from.pictures, latent_bytes(settings_)});
    const int64_t bytes = body ? checked_sum({head, *body}).value_or(-1) : -1;
    const auto there = static_cast<int64_t>(fs::file_size(file));
    SGF_CHECK(bytes >= 0 && from.bytes == bytes && there >= bytes,
              "{} cannot be continued after {} latent frames in {} bytes: they take {} bytes, and the file has {}",
              file.string(), from.pictures, from.bytes, bytes < 0 ? "too many" : std::to_string(bytes), there);
    SGF_CHECK(begins_with(file, latent_head(settings_, path_, 0)) || is_finished(file),
              "{} cannot be continued: its header does not match these settings (size, note)", file.string());
    waits_at_ = bytes;
  }

  // A finished file already has its final name.
  fs::path growing_file() const {
    const fs::path part = latent_part_of(path_);
    if (fs::exists(part)) return part;
    SGF_CHECK(fs::is_regular_file(path_), "{} cannot be continued: {} is missing", path_.string(), part.string());
    return path_;
  }

  void take_up_now() {
    if (!waits_at_) return;
    const fs::path part = latent_part_of(path_);
    if (!fs::exists(part)) fs::rename(path_, part);
    if (is_finished(part)) fill_in_header(0);
    std::unique_ptr<ContinuedOutput> output = continue_video_output(part);
    output->write_text(latent_head(settings_, path_, 0));
    output->go_on_at(*waits_at_);
    output_ = std::move(output);
    waits_at_.reset();
  }

  // A kill may have come after the header of a finished file was written, or after the rename, and before its owner
  // knew.
  bool is_finished(const fs::path& file) const {
    const auto head = static_cast<int64_t>(latent_head(settings_, path_, 0).size());
    const int64_t count = (static_cast<int64_t>(fs::file_size(file)) - head) / latent_bytes(settings_);
    return begins_with(file, latent_head(settings_, path_, count));
  }

  // While the file grows, its header gives a count of 0.
  void fill_in_header(int64_t count) const {
    const std::string head = latent_head(settings_, path_, count);
    const int fd = ::open(latent_part_of(path_).c_str(), O_WRONLY | O_CLOEXEC);
    const bool is_written = fd >= 0 && write_whole_at(fd, 0, head) && ::fsync(fd) == 0;
    int error = is_written ? 0 : errno;
    if (fd >= 0 && ::close(fd) != 0 && error == 0) error = errno;
    SGF_CHECK(error == 0, "{}: its header cannot be written: {}", latent_part_of(path_).string(), std::strerror(error));
  }

  fs::path path_;
  LatentFileSettings settings_;
  int64_t count_;
  std::optional<int64_t> waits_at_;  // will be continued after this many bytes
  std::unique_ptr<VideoOutput> output_;
  bool is_name_synced_ = false;
};

LatentFile::LatentFile(const fs::path& path, const LatentFileSettings& settings, const MaybePlace& from)
    : part_(std::make_unique<Part>(path, settings, from)) {}
LatentFile::~LatentFile() = default;

void LatentFile::add(const at::Tensor& latents) { part_->add(latents); }
SinkPlace LatentFile::sync() { return part_->sync(); }
void LatentFile::finish() { part_->finish(); }
void LatentFile::discard() { part_->discard(); }

fs::path latent_part_of(const fs::path& path) { return fs::path(path).concat(".part"); }

}  // namespace sgf
