// A file that appears under its name complete or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace sgf {

// Writes beside the target under a temporary name. Until commit() an existing file of that name stays unchanged. A
// destructor without commit() removes the temporary file; what a killed process left is removed by the next writer of
// the same target.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  // Overwrites bytes already written, for formats that fill in a size later. write() still appends.
  void write_at(uint64_t offset, std::span<const std::byte> bytes);

  // Syncs the bytes, renames to the target, syncs the folder. Afterwards a power cut loses nothing.
  void commit();

  uint64_t bytes_written() const { return written_; }
  const std::filesystem::path& target() const { return target_; }

 private:
  [[noreturn]] void fail_with(int error, std::span<const std::byte> refused = {}) const;
  bool make_temporary();
  void sync_folder() const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int fd_ = -1;
  uint64_t written_ = 0;
  bool committed_ = false;
};

// Removes temporary files that killed processes left in a folder. `is_ours` receives the target name of each such file.
// Files that a live process is writing are kept.
void sweep_half_written(
    const std::filesystem::path& folder,
    const std::function<bool(const std::string& name)>& is_ours = [](const std::string&) { return true; });

}  // namespace sgf
