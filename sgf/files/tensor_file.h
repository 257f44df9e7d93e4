// An opened weight file: an index over mapped bytes. Opening reads only the index; a tensor's bytes are read when they
// are used, so an 11 GB file opens as fast as a small one.
#pragma once

#include "sgf/core/dtype.h"
#include "sgf/core/enum_names.h"
#include "sgf/files/mapped_file.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sgf {

// Where one tensor lies. Torch archives may hold views: strides are in elements, and entries may share bytes.
struct TensorEntry {
  std::string name;  // dotted path through nested dicts: "generator_ema.blocks.0.norm3.weight"
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // elements, never negative; row-major for safetensors
  size_t file = 0;               // index into TensorFile::files
  uint64_t offset = 0;           // bytes from that file's start to element [0, ..., 0]; need not be aligned
  uint64_t extent = 0;           // bytes from there to the end of the last element; within the file, checked

  int64_t element_count() const;
  bool is_contiguous() const;
};

// What holds the tensors.
enum class Container {
  kSafetensors,
  kTorchZip,     // what torch.save writes
  kTorchLegacy,  // what torch.save wrote before 1.6: pickles and raw bytes, one after another
};

constexpr auto enum_names(Container) {
  return std::array{EnumName{Container::kSafetensors, "safetensors"}, EnumName{Container::kTorchZip, "torch zip"},
                    EnumName{Container::kTorchLegacy, "torch legacy"}};
}

class TensorFile {
 public:
  Container container = Container::kSafetensors;
  size_t shards = 0;                            // named by an index; 0: one file without an index
  std::vector<TensorEntry> entries;             // in file order, names unique; only `add` appends
  std::map<std::string, std::string> metadata;  // safetensors __metadata__; scalars of a torch archive as text
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::vector<std::string> unindexed;  // tensors of a shard that the index does not name; they are read anyway
  bool is_flattened = false;           // some tensors came from nested dicts, whose keys are joined in their names

  // Throws Error if the name is already used or the bytes are not within their file.
  void add(TensorEntry entry);

  const TensorEntry* find(std::string_view name) const;

  // The bytes of one entry, [element 0, end of last element). Valid while `files` live.
  std::span<const std::byte> bytes(const TensorEntry& entry) const;

 private:
  std::unordered_map<std::string, size_t> position_;  // name -> index into entries
};

// "safetensors", "safetensors, 6 shards"
std::string describe_container(const TensorFile& file);

// Opens by content, never by extension: a safetensors file, a torch zip archive, a legacy torch pickle, a folder (its
// one weight file, or the shards that its *.index.json names), or such an index itself. Throws an Error that names the
// file and the reason.
TensorFile open_tensor_file(const std::filesystem::path& path);

// The same for a file that is already mapped.
TensorFile read_tensor_file(std::shared_ptr<const MappedFile> file);

// Bytes of a dense tensor; nullopt if a dimension is negative or the product exceeds int64.
std::optional<uint64_t> dense_byte_count(DType dtype, std::span<const int64_t> shape);

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape);

}  // namespace sgf
