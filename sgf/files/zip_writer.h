// Writes a zip of stored records in one pass, each on a 64-byte boundary so that readers can map it.
#pragma once

#include "sgf/files/atomic_file.h"
#include "sgf/files/safetensors.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file) : file_(file) {}

  // `produce` must pass exactly `size` bytes to the sink.
  void add(const std::string& name, uint64_t size, const std::function<void(const ByteSink&)>& produce);
  void add(const std::string& name, std::string_view text);

  // Writes the directory; nothing can be added afterwards.
  void finish();

 private:
  struct Record {
    std::string name;
    uint64_t size = 0;
    uint64_t offset = 0;  // of the local header
    uint32_t crc = 0;
  };

  void write_local_header(const Record& record);
  void write_descriptor(const Record& record);
  void write_central_header(const Record& record);
  void write_end(uint64_t directory_begin);

  AtomicFile& file_;
  std::vector<Record> records_;
};

}  // namespace sgf
