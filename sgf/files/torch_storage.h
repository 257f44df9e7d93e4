// Storages, as pickles refer to them: the byte arrays behind torch's tensors.
#pragma once

#include "sgf/core/dtype.h"
#include "sgf/core/error.h"
#include "sgf/files/pickle_value.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sgf {

struct TorchStorage {
  std::string key;             // "0", or a memory address in the legacy format
  std::string type;            // "torch.FloatStorage"
  std::optional<DType> dtype;  // nullopt for an untyped storage, which counts bytes
  uint64_t element_count = 0;  // of the whole storage `key`
  // Only in legacy files of torch 0.x: the part of the storage that the view covers.
  uint64_t view_begin = 0;  // elements
  uint64_t view_size = 0;   // elements; otherwise the whole storage

  uint64_t element_size() const { return dtype ? static_cast<uint64_t>(byte_size(*dtype)) : 1; }
};

struct ByteRange {
  uint64_t offset = 0;  // from the file's start
  uint64_t size = 0;
};

// Where a storage's bytes lie; throws Error if it is missing.
using StorageLookup = std::function<ByteRange(const TorchStorage&)>;

// Throws Error if the persistent id is not ('storage', type, key, location, count[, view]).
TorchStorage read_torch_storage(const PicklePersistent& persistent, const std::string& source);

// "torch.bfloat16" -> BF16; nullopt if weight files cannot hold the type.
std::optional<DType> dtype_from_torch(std::string_view name);

// Item `index` as a `Kind`; throws Error if it is missing or of another kind.
template <class Kind>
const Kind& pickle_item(const std::vector<PickleRef>& items, size_t index, const char* what,
                        const std::string& source) {
  const Kind* kind = index < items.size() ? items[index]->as<Kind>() : nullptr;
  SGF_CHECK(kind != nullptr, "{}: expected {} at position {} of {}", source, what, index, items.size());
  return *kind;
}

// The same for a count.
uint64_t pickle_count(const std::vector<PickleRef>& items, size_t index, const char* what, const std::string& source);

}  // namespace sgf
