// Reading: the header, the entries, and the check that the entries tile the data. safetensors_writer.cpp writes.
#include "sgf/files/safetensors.h"

#include "sgf/core/in_quotes.h"
#include "sgf/files/byte_reader.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <tuple>

namespace sgf {
namespace {

constexpr uint64_t kLongestHeader = 100'000'000;  // the official library's limit
constexpr size_t kLargestRank = 64;               // torch's limit

struct Header {
  nlohmann::json root;
  uint64_t data_begin = 0;
};

Header read_header(const MappedFile& file) {
  const std::string path = file.path().string();
  ByteReader in(file.bytes(), path);
  SGF_CHECK(in.remaining() >= 8, "{}: has {} bytes, too few for a safetensors header", path, in.remaining());
  const uint64_t length = in.u64();
  SGF_CHECK(length <= kLongestHeader, "{}: its header has {} bytes, but the format allows at most {}", path, length,
            kLongestHeader);
  SGF_CHECK(length <= in.remaining(), "{}: is cut short: its header has {} bytes, the file only {} more", path, length,
            in.remaining());
  const std::string_view text = in.text(length);
  SGF_CHECK(text.starts_with('{'), "{}: its header is not a JSON object", path);
  return {parse_strict_json(text, path, {.depth = 3, .array_length = kLargestRank}), in.position()};
}

// Does not distinguish a missing field from a wrong one: both give the same message.
const nlohmann::json& field(const nlohmann::json& info, const char* key, bool (*is_right)(const nlohmann::json&),
                            const std::string& where) {
  const auto found = info.find(key);
  SGF_CHECK(found != info.end() && is_right(*found), "{}: {} is missing or has the wrong type", where, key);
  return *found;
}

bool is_text(const nlohmann::json& value) { return value.is_string(); }

bool is_count(const nlohmann::json& value) {
  return value.is_number_unsigned() && value.get<uint64_t>() <= std::numeric_limits<int64_t>::max();
}

bool are_counts(const nlohmann::json& value) { return value.is_array() && std::ranges::all_of(value, is_count); }

bool is_range(const nlohmann::json& value) { return are_counts(value) && value.size() == 2 && value[0] <= value[1]; }

// The format's other element types. Several elements share a byte, so an entry cannot say where one lies.
bool is_narrower_than_a_byte(std::string_view name) { return name == "F4" || name == "F6_E2M3" || name == "F6_E3M2"; }

DType read_dtype(const nlohmann::json& info, const std::string& where) {
  const auto& name = field(info, "dtype", is_text, where).get_ref<const std::string&>();
  const std::optional<DType> dtype = dtype_from_name(name);
  SGF_CHECK(
      dtype.has_value() || !is_narrower_than_a_byte(name),
      "{}: elements of type {} are narrower than a byte and cannot be read here; save them as U8 or a wider float",
      where, name);
  SGF_CHECK(dtype.has_value(), "{}: element type {} is not supported", where, in_quotes(name));
  return *dtype;
}

TensorEntry read_entry(const std::string& name, const nlohmann::json& info, const std::string& path) {
  const std::string where = fmt::format("{}: tensor {}", path, in_quotes(name));
  SGF_CHECK(info.is_object(), "{}: is not described by an object", where);
  TensorEntry entry;
  entry.name = name;
  entry.dtype = read_dtype(info, where);
  entry.shape = field(info, "shape", are_counts, where).get<std::vector<int64_t>>();
  const auto range = field(info, "data_offsets", is_range, where).get<std::vector<uint64_t>>();
  entry.offset = range[0];
  entry.extent = range[1] - range[0];

  const std::optional<uint64_t> size = dense_byte_count(entry.dtype, entry.shape);
  SGF_CHECK(size.has_value(), "{}: shape [{}] is too large", where, fmt::join(entry.shape, ", "));
  SGF_CHECK(*size == entry.extent, "{}: shape [{}] of {} takes {} bytes, its offsets give {}", where,
            fmt::join(entry.shape, ", "), name_of(entry.dtype), *size, entry.extent);
  entry.strides = row_major_strides(entry.shape);
  return entry;
}

std::map<std::string, std::string> read_metadata(const nlohmann::json& info, const std::string& path) {
  SGF_CHECK(info.is_object(), "{}: __metadata__ is not an object", path);
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : info.items()) {
    SGF_CHECK(value.is_string(), "{}: __metadata__ {} is not text", path, in_quotes(key));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// Sorted by offset, each tensor must begin where the previous one ends, and the last one must end the file. This
// refuses overlaps, gaps and trailing bytes, as the official library does.
void check_tiling(const std::vector<TensorEntry>& entries, uint64_t data_size, const std::string& path) {
  uint64_t end = 0;
  for (const TensorEntry& entry : entries) {
    SGF_CHECK(entry.offset == end, "{}: tensor {} begins at byte {} of the data, {} at {}", path, in_quotes(entry.name),
              entry.offset, entry.offset < end ? "inside the previous one, which ends" : "after a gap, which begins",
              end);
    SGF_CHECK(entry.extent <= data_size - end, "{}: is cut short: tensor {} ends at byte {} of the data, which has {}",
              path, in_quotes(entry.name), end + entry.extent, data_size);
    end += entry.extent;
  }
  SGF_CHECK(end == data_size, "{}: has {} bytes after the last tensor, expected none", path, data_size - end);
}

bool begins_with_length(std::span<const std::byte> bytes) {
  return bytes.size() >= 8 && ByteReader(bytes, "").u64() <= kLongestHeader;
}
bool has_object_after_length(std::span<const std::byte> bytes) {
  return bytes.size() > 8 && bytes[8] == std::byte{'{'};
}

}  // namespace

bool is_safetensors(std::span<const std::byte> bytes) {
  return begins_with_length(bytes) && has_object_after_length(bytes);
}

// Then the reader can say what is damaged.
bool looks_like_safetensors(std::span<const std::byte> bytes) {
  return begins_with_length(bytes) || has_object_after_length(bytes);
}

TensorFile read_safetensors(std::shared_ptr<const MappedFile> file) {
  const std::string path = file->path().string();
  const Header header = read_header(*file);
  TensorFile tensors;
  tensors.container = Container::kSafetensors;
  std::vector<TensorEntry> entries;
  for (const auto& [name, info] : header.root.items()) {
    if (name == "__metadata__") {
      tensors.metadata = read_metadata(info, path);
    } else {
      entries.push_back(read_entry(name, info, path));
    }
  }
  std::ranges::stable_sort(entries, {}, [](const TensorEntry& e) { return std::tuple(e.offset, e.extent); });
  check_tiling(entries, file->bytes().size() - header.data_begin, path);

  tensors.files.push_back(std::move(file));
  for (TensorEntry& entry : entries) {
    entry.offset += header.data_begin;
    tensors.add(std::move(entry));
  }
  return tensors;
}

}  // namespace sgf
