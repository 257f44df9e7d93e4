// A read-only memory map of a whole file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sgf {

class MappedFile {
 public:
  // Throws Error if the path is missing, unreadable or not a regular file. An empty file maps to no bytes.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

  // Wraps bytes already in memory; errors show them under `name`. Readers cannot tell the difference, so tests can try
  // twenty thousand damaged files without writing one.
  static std::shared_ptr<const MappedFile> from_bytes(std::filesystem::path name, std::vector<std::byte> bytes);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // The same bytes as characters, whatever they are.
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  // Takes the pages of a part out of this process's memory. Reading them again brings them back.
  void let_go(std::span<const std::byte> part) const;

 private:
  explicit MappedFile(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::vector<std::byte> owned_;  // empty when `bytes_` is a map
  std::span<const std::byte> bytes_;
};

}  // namespace sgf
