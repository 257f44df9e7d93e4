// A file that grows by whole records. After a crash it holds either the old records or one record more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace sgf {

// Every append goes to the system at once, so a killed process loses nothing it appended. A record that does not fit on
// the disk is removed before the error is thrown.
class AppendFile {
 public:
  enum class Opening {
    kNew,       // refuses an existing file
    kExisting,  // appends to an existing file, or creates it
  };

  AppendFile(std::filesystem::path path, Opening opening);
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;

  void append(std::string_view record);

  // Syncs to disk: what a checkpoint is about to rely on must also survive a power cut.
  void sync();

  const std::filesystem::path& path() const { return path_; }

 private:
  void write_all(std::string_view bytes);
  [[noreturn]] void fail_with(int error) const;

  std::filesystem::path path_;
  int fd_ = -1;
  int64_t size_ = 0;
};

}  // namespace sgf
