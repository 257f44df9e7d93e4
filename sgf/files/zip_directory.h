// The table of contents of a zip file (zip64 too), checked against the records it points to.
#pragma once

#include "sgf/files/mapped_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace sgf {

// One record. Its bytes lie within the file, before the directory, and do not overlap another record's.
struct ZipEntry {
  std::string name;
  uint16_t method = 0;  // 0 is stored, 8 is deflated
  uint64_t offset = 0;  // from the file's start to the record's first data byte
  uint64_t compressed_size = 0;
  uint64_t size = 0;
};

class ZipDirectory {
 public:
  // Throws Error if sizes are wrong, local and central headers disagree, or anything points outside the file.
  explicit ZipDirectory(const MappedFile& file);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(const std::string& name) const;

  // Throws Error unless the record is stored uncompressed, as torch.save does: only such bytes can be mapped.
  std::span<const std::byte> stored_bytes(const ZipEntry& entry) const;

 private:
  const MappedFile& file_;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string, size_t> position_;  // name -> index into entries_
};

}  // namespace sgf
