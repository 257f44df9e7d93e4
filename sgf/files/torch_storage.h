// Storages: the byte arrays that torch's tensors are views of, as pickles name them.
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
  std::optional<DType> dtype;  // nothing for an untyped storage, which counts bytes
  uint64_t element_count = 0;  // of the whole storage `key`
  // Legacy files of torch 0.x alone: the part of it that is meant.
  uint64_t view_begin = 0;  // elements
  uint64_t view_size = 0;   // elements; the whole otherwise

  uint64_t element_size() const { return dtype ? static_cast<uint64_t>(byte_size(*dtype)) : 1; }
};

struct ByteRange {
  uint64_t offset = 0;  // from the file's start
  uint64_t size = 0;
};

// Where a storage's own bytes lie; throws Error if nowhere.
using StorageLookup = std::function<ByteRange(const TorchStorage&)>;

// Throws Error if the persistent id is not ('storage', type, key, location, count[, view]).
TorchStorage read_torch_storage(const PicklePersistent& persistent, const std::string& source);

// "torch.bfloat16" -> BF16; nothing if it is no element type that weight files hold.
std::optional<DType> dtype_from_torch(std::string_view name);

// Item `index` as a `Kind`; throws Error if it is missing or of another kind.
template <class Kind>
const Kind& pickle_item(const std::vector<PickleRef>& items, size_t index, const char* what,
                        const std::string& source) {
  const Kind* kind = index < items.size() ? items[index]->as<Kind>() : nullptr;
  SGF_CHECK(kind != nullptr, "{}: expected {} at position {} of {}", source, what, index, items.size());
  return *kind;
}

// The same for a number that counts something.
uint64_t pickle_count(const std::vector<PickleRef>& items, size_t index, const char* what, const std::string& source);

}  // namespace sgf
