// A file that appears under its name whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace sgf {

// Writes beside the target under a temporary name. Until commit() an earlier file of that name stays as it is;
// a destructor without commit() removes the temporary one.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  // Over bytes already written, for formats that fill in a size they learn late; goes on appending after it.
  void write_at(uint64_t offset, std::span<const std::byte> bytes);

  // Syncs the bytes, takes the target's name, syncs the folder: after it, a power cut loses nothing.
  void commit();

  uint64_t bytes_written() const { return written_; }
  const std::filesystem::path& target() const { return target_; }

 private:
  [[noreturn]] void fail_with(int error) const;
  bool make_temporary();
  void sync_folder() const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int fd_ = -1;
  uint64_t written_ = 0;
  bool committed_ = false;
};

// Removes what kills left in a folder of files written so, under their temporary names. `is_ours` is asked about the
// name that such a file was to get. What a live process is writing stays.
void sweep_half_written(
    const std::filesystem::path& folder,
    const std::function<bool(const std::string& name)>& is_ours = [](const std::string&) { return true; });

}  // namespace sgf
