// Reads from the back: the end record, the zip64 end record if there is one, the central headers, and for each of them
// the local header before its data.
#include "sgf/files/zip_directory.h"

#include "sgf/core/in_quotes.h"
#include "sgf/files/byte_reader.h"
#include "sgf/files/zip_format.h"

#include <algorithm>

namespace sgf {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kCentralHeader = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint32_t kZip64End = 0x06064b50;
constexpr uint32_t kZip64Locator = 0x07064b50;
constexpr uint64_t kEndSize = 22, kLocatorSize = 20, kCentralSize = 46;
constexpr uint16_t kStored = 0;
constexpr uint16_t kEncrypted = 1 << 0, kSizesFollow = 1 << 3;  // flag bits

// Where the central headers lie.
struct Extent {
  uint64_t count = 0;
  uint64_t size = 0;
  uint64_t offset = 0;
};

// The fields that local and central headers share.
struct ZipHeader {
  uint16_t flags = 0;
  uint16_t method = 0;
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  uint64_t local_offset = 0;  // central only
  std::string_view name;
};

void expect(ByteReader& in, uint32_t signature, const char* what) {
  const size_t at = in.position();
  SGF_CHECK(in.u32() == signature, "{}: damaged zip: no {} at byte {}", in.source(), what, at);
}

// The last record of the file; a comment of up to 64 KiB may follow it.
uint64_t find_end(std::span<const std::byte> bytes, const std::string& source) {
  SGF_CHECK(bytes.size() >= kEndSize, "{}: is too short for a zip file", source);
  ByteReader in(bytes, source);
  const uint64_t last = bytes.size() - kEndSize;
  for (uint64_t back = 0; back <= std::min<uint64_t>(last, 0xffff); ++back) {
    in.seek(last - back);
    if (in.u32() != kEnd) continue;
    in.seek(last - back + 20);
    if (in.u16() == back) return last - back;
  }
  fail("{}: is cut short: the zip file has no end record", source);
}

Extent read_zip64_extent(ByteReader& in, uint64_t end) {
  in.seek(end - kLocatorSize + 8);
  in.seek(in.u64());
  expect(in, kZip64End, "zip64 end record");
  in.text(20);  // size of record, versions, disk numbers
  const uint64_t count_here = in.u64(), count = in.u64();
  SGF_CHECK(count_here == count, "{}: a zip split into several files is not supported", in.source());
  const uint64_t size = in.u64();
  return {.count = count, .size = size, .offset = in.u64()};
}

bool has_zip64_locator(ByteReader& in, uint64_t end) {
  if (end < kLocatorSize) return false;
  in.seek(end - kLocatorSize);
  return in.u32() == kZip64Locator;
}

Extent read_extent(ByteReader& in, uint64_t end) {
  if (has_zip64_locator(in, end)) return read_zip64_extent(in, end);
  in.seek(end + 8);
  const uint16_t count_here = in.u16(), count = in.u16();
  SGF_CHECK(count_here == count, "{}: a zip split into several files is not supported", in.source());
  const uint32_t size = in.u32();
  return {.count = count, .size = size, .offset = in.u32()};
}

// Replaces the fields that do not fit in 32 bits, in the order that the format fixes.
void apply_zip64(ZipHeader& header, std::string_view extra, const std::string& source) {
  ByteReader in(std::as_bytes(std::span(extra)), source);
  while (in.remaining() >= 4) {
    const uint16_t id = in.u16();
    const std::string_view body = in.text(in.u16());
    if (id != kZip64Extra) continue;
    ByteReader wide(std::as_bytes(std::span(body)), source);
    if (header.size == kInZip64) header.size = wide.u64();
    if (header.compressed_size == kInZip64) header.compressed_size = wide.u64();
    if (header.local_offset == kInZip64) header.local_offset = wide.u64();
    return;
  }
}

ZipHeader read_central(ByteReader& in) {
  expect(in, kCentralHeader, "central header");
  ZipHeader header;
  in.text(4);  // versions
  header.flags = in.u16();
  header.method = in.u16();
  in.text(8);  // time, date, CRC
  header.compressed_size = in.u32();
  header.size = in.u32();
  const uint16_t name_length = in.u16(), extra_length = in.u16(), comment_length = in.u16();
  in.text(8);  // disk number, attributes
  header.local_offset = in.u32();
  header.name = in.text(name_length);
  apply_zip64(header, in.text(extra_length), in.source());
  in.text(comment_length);
  return header;
}

ZipHeader read_local(ByteReader& in) {
  expect(in, kLocalHeader, "local header");
  ZipHeader header;
  in.text(2);  // version
  header.flags = in.u16();
  header.method = in.u16();
  in.text(8);  // time, date, CRC
  header.compressed_size = in.u32();
  header.size = in.u32();
  const uint16_t name_length = in.u16(), extra_length = in.u16();
  header.name = in.text(name_length);
  apply_zip64(header, in.text(extra_length), in.source());
  return header;
}

// A writer that streams leaves the local sizes empty and puts them after the data; the central ones are valid.
bool agree(const ZipHeader& central, const ZipHeader& local) {
  const bool same_sizes = local.size == central.size && local.compressed_size == central.compressed_size;
  const bool sizes_follow = (local.flags & kSizesFollow) != 0 && local.size == 0 && local.compressed_size == 0;
  return local.name == central.name && local.method == central.method && (same_sizes || sizes_follow);
}

ZipEntry locate(ByteReader& in, const ZipHeader& central, uint64_t directory_begin) {
  const std::string name = in_quotes(central.name);
  in.seek(central.local_offset);
  const ZipHeader local = read_local(in);
  SGF_CHECK(agree(central, local), "{}: damaged zip: the two headers of {} disagree", in.source(), name);
  SGF_CHECK((central.flags & kEncrypted) == 0, "{}: record {} is encrypted", in.source(), name);
  SGF_CHECK(in.position() <= directory_begin && central.compressed_size <= directory_begin - in.position(),
            "{}: damaged zip: {} has {} bytes at {}, past the records' end at {}", in.source(), name,
            central.compressed_size, in.position(), directory_begin);
  SGF_CHECK(central.method != kStored || central.size == central.compressed_size,
            "{}: damaged zip: {} is stored, but its two sizes differ", in.source(), name);
  return {.name = std::string(central.name),
          .method = central.method,
          .offset = in.position(),
          .compressed_size = central.compressed_size,
          .size = central.size};
}

// Small zips that claim to hold much let their records share bytes.
void check_disjoint(const std::vector<ZipEntry>& entries, const std::string& source) {
  std::vector<const ZipEntry*> order;
  for (const ZipEntry& entry : entries) order.push_back(&entry);
  std::ranges::sort(order, {}, &ZipEntry::offset);
  for (size_t i = 1; i < order.size(); ++i) {
    SGF_CHECK(order[i - 1]->compressed_size <= order[i]->offset - order[i - 1]->offset,
              "{}: damaged zip: {} and {} overlap", source, in_quotes(order[i - 1]->name), in_quotes(order[i]->name));
  }
}

}  // namespace

ZipDirectory::ZipDirectory(const MappedFile& file) : file_(file) {
  const std::string source = file.path().string();
  ByteReader directory(file.bytes(), source), records(file.bytes(), source);
  const uint64_t end = find_end(file.bytes(), source);
  const Extent extent = read_extent(directory, end);
  SGF_CHECK(extent.offset <= end && extent.size <= end - extent.offset && extent.count <= extent.size / kCentralSize,
            "{}: damaged zip: {} entries do not fit in {} bytes at {} of {}", source, extent.count, extent.size,
            extent.offset, end);

  directory.seek(extent.offset);
  for (uint64_t i = 0; i < extent.count; ++i) {
    ZipEntry entry = locate(records, read_central(directory), extent.offset);
    const bool is_new = position_.emplace(entry.name, entries_.size()).second;
    SGF_CHECK(is_new, "{}: damaged zip: two records are named {}", source, in_quotes(entry.name));
    entries_.push_back(std::move(entry));
  }
  check_disjoint(entries_, source);
}

const ZipEntry* ZipDirectory::find(const std::string& name) const {
  const auto found = position_.find(name);
  return found == position_.end() ? nullptr : &entries_[found->second];
}

std::span<const std::byte> ZipDirectory::stored_bytes(const ZipEntry& entry) const {
  SGF_CHECK(
      entry.method == kStored,
      "{}: record {} is compressed (method {}), expected stored; unpack the file and save it again with torch.save",
      file_.path().string(), in_quotes(entry.name), entry.method);
  return file_.bytes().subspan(entry.offset, entry.size);
}

}  // namespace sgf
