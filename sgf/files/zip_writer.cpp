// The checksum is known only when a record is written, so it follows the data (flag bit 3), as in torch's own files.
#include "sgf/files/zip_writer.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/crc32.h"
#include "sgf/files/zip_format.h"

#include <algorithm>
#include <concepts>
#include <limits>

namespace sgf {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint16_t kZipVersion = 45;    // the first version with zip64
constexpr uint16_t kFlags = 0x0808;     // checksum after the data, names in UTF-8
constexpr uint16_t kEarliestDate = 33;  // 1980-01-01: equal input makes equal files
constexpr uint16_t kPaddingExtra = 0x4246;
constexpr uint64_t kLocalSize = 30, kExtraHead = 4, kZip64Sizes = 16;

bool is_wide(uint64_t value) { return value >= kInZip64; }
uint32_t narrow(uint64_t value) { return is_wide(value) ? kInZip64 : static_cast<uint32_t>(value); }

// Little-endian fields, one after another.
class Fields {
 public:
  template <std::unsigned_integral Integer>
  Fields& add(Integer value) {
    for (size_t i = 0; i < sizeof value; ++i) {
      bytes_ += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xff);
    }
    return *this;
  }
  Fields& add(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// What lies between a local header's name and the data: 64-bit sizes, and padding up to the boundary.
std::string local_extra(uint64_t header_offset, size_t name_length, uint64_t size) {
  Fields extra;
  if (is_wide(size)) extra.add(kZip64Extra).add(uint16_t{kZip64Sizes}).add(size).add(size);
  const uint64_t end = header_offset + kLocalSize + name_length + extra.bytes().size() + kExtraHead;
  const uint64_t padding = (kAlignment - end % kAlignment) % kAlignment;
  extra.add(kPaddingExtra).add(static_cast<uint16_t>(padding)).add(std::string(padding, 'Z'));
  return extra.bytes();
}

std::string central_extra(uint64_t size, uint64_t offset) {
  Fields wide;
  if (is_wide(size)) wide.add(size).add(size);
  if (is_wide(offset)) wide.add(offset);
  if (wide.bytes().empty()) return "";
  return Fields().add(kZip64Extra).add(static_cast<uint16_t>(wide.bytes().size())).add(wide.bytes()).bytes();
}

}  // namespace

void ZipWriter::add(const std::string& name, uint64_t size, const std::function<void(const ByteSink&)>& produce) {
  Record record{.name = name, .size = size, .offset = file_.bytes_written()};
  write_local_header(record);
  const uint64_t begin = file_.bytes_written();
  produce([&](std::span<const std::byte> bytes) {
    record.crc = crc32_of(bytes, record.crc);
    file_.write(bytes);
  });
  const uint64_t came = file_.bytes_written() - begin;
  SGF_CHECK(came == size, "{}: record {} needs {} bytes, got {}", file_.target().string(), in_quotes(name), size, came);
  write_descriptor(record);
  records_.push_back(std::move(record));
}

void ZipWriter::add(const std::string& name, std::string_view text) {
  add(name, text.size(), [text](const ByteSink& sink) { sink(std::as_bytes(std::span(text))); });
}

void ZipWriter::finish() {
  const uint64_t begin = file_.bytes_written();
  for (const Record& record : records_) write_central_header(record);
  write_end(begin);
}

void ZipWriter::write_local_header(const Record& record) {
  const uint32_t size = is_wide(record.size) ? kInZip64 : 0;
  const std::string extra = local_extra(record.offset, record.name.size(), record.size);
  Fields fields;
  fields.add(uint32_t{0x04034b50}).add(kZipVersion).add(kFlags).add(uint16_t{0}).add(uint16_t{0}).add(kEarliestDate);
  fields.add(uint32_t{0}).add(size).add(size);  // checksum and sizes follow the data
  fields.add(static_cast<uint16_t>(record.name.size())).add(static_cast<uint16_t>(extra.size()));
  file_.write(fields.add(record.name).add(extra).bytes());
}

void ZipWriter::write_descriptor(const Record& record) {
  Fields fields;
  fields.add(uint32_t{0x08074b50}).add(record.crc);
  if (is_wide(record.size)) {
    fields.add(record.size).add(record.size);
  } else {
    fields.add(narrow(record.size)).add(narrow(record.size));
  }
  file_.write(fields.bytes());
}

void ZipWriter::write_central_header(const Record& record) {
  const std::string extra = central_extra(record.size, record.offset);
  Fields fields;
  fields.add(uint32_t{0x02014b50}).add(kZipVersion).add(kZipVersion).add(kFlags).add(uint16_t{0}).add(uint16_t{0});
  fields.add(kEarliestDate).add(record.crc).add(narrow(record.size)).add(narrow(record.size));
  fields.add(static_cast<uint16_t>(record.name.size())).add(static_cast<uint16_t>(extra.size()));
  fields.add(std::string(10, '\0'));  // comment length, disk number, attributes
  file_.write(fields.add(narrow(record.offset)).add(record.name).add(extra).bytes());
}

// The zip64 records are always written: a state dict can have more than 65535 tensors and more than 4 GB.
void ZipWriter::write_end(uint64_t directory_begin) {
  const uint64_t end = file_.bytes_written();
  const uint64_t size = end - directory_begin, count = records_.size();
  Fields fields;
  fields.add(uint32_t{0x06064b50})
      .add(uint64_t{44})
      .add(kZipVersion)
      .add(kZipVersion)
      .add(uint32_t{0})
      .add(uint32_t{0});
  fields.add(count).add(count).add(size).add(directory_begin);
  fields.add(uint32_t{0x07064b50}).add(uint32_t{0}).add(end).add(uint32_t{1});
  const auto few = static_cast<uint16_t>(std::min<uint64_t>(count, 0xffff));
  fields.add(uint32_t{0x06054b50}).add(uint16_t{0}).add(uint16_t{0}).add(few).add(few);
  file_.write(fields.add(narrow(size)).add(narrow(directory_begin)).add(uint16_t{0}).bytes());
}

}  // namespace sgf
