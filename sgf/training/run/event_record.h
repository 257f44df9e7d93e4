// The framing of TensorBoard's files (TFRecord): length, its checksum, the bytes, their checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// Castagnoli's polynomial, which is not that of zip files.
uint32_t crc32c(std::string_view bytes);

std::string frame_record(std::string_view payload);

struct EventRecords {
  std::vector<std::string> payloads;
  size_t torn_bytes = 0;  // of a last record that a crash cut short
};

// Refuses a checksum that does not match; `source` begins the error.
EventRecords read_records(std::string_view bytes, const std::string& source);

}  // namespace sgf
