#include "sgf/files/torch_storage.h"

#include "sgf/core/in_quotes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sgf {
namespace {

constexpr size_t kLongestKey = 128;  // torch writes a small number, or an address

using Pair = std::pair<std::string_view, DType>;

constexpr std::array<Pair, 11> kStorageTypes{{
    {"FloatStorage", DType::kF32},
    {"DoubleStorage", DType::kF64},
    {"HalfStorage", DType::kF16},
    {"BFloat16Storage", DType::kBF16},
    {"LongStorage", DType::kI64},
    {"IntStorage", DType::kI32},
    {"ShortStorage", DType::kI16},
    {"CharStorage", DType::kI8},
    {"ByteStorage", DType::kU8},
    {"BoolStorage", DType::kBool},
    {"ComplexFloatStorage", DType::kC64},
}};

constexpr std::array<Pair, 19> kElementTypes{{
    {"torch.bool", DType::kBool},
    {"torch.uint8", DType::kU8},
    {"torch.int8", DType::kI8},
    {"torch.uint16", DType::kU16},
    {"torch.int16", DType::kI16},
    {"torch.uint32", DType::kU32},
    {"torch.int32", DType::kI32},
    {"torch.uint64", DType::kU64},
    {"torch.int64", DType::kI64},
    {"torch.float8_e4m3fn", DType::kF8E4M3},
    {"torch.float8_e5m2", DType::kF8E5M2},
    {"torch.float16", DType::kF16},
    {"torch.bfloat16", DType::kBF16},
    {"torch.float32", DType::kF32},
    {"torch.float64", DType::kF64},
    {"torch.float8_e8m0fnu", DType::kF8E8M0},
    {"torch.float8_e4m3fnuz", DType::kF8E4M3Fnuz},
    {"torch.float8_e5m2fnuz", DType::kF8E5M2Fnuz},
    {"torch.complex64", DType::kC64},
}};

std::optional<DType> look_up(const auto& pairs, std::string_view name) {
  const auto found = std::ranges::find(pairs, name, &Pair::first);
  if (found == pairs.end()) return std::nullopt;
  return found->second;
}

// The type's module says which device it was on (torch, torch.cuda); that does not matter here.
std::optional<DType> storage_dtype(const PickleGlobal& type, const std::string& source) {
  const std::string_view name = std::string_view(type.name).substr(type.name.rfind('.') + 1);
  SGF_CHECK(name.ends_with("Storage"), "{}: {} is not a storage type", source, in_quotes(type.name));
  return look_up(kStorageTypes, name);
}

void read_view(TorchStorage& storage, const PickleTuple& view, const std::string& source) {
  storage.view_begin = pickle_count(view.items, 1, "a view's offset", source);
  storage.view_size = pickle_count(view.items, 2, "a view's size", source);
  SGF_CHECK(
      storage.view_begin <= storage.element_count && storage.view_size <= storage.element_count - storage.view_begin,
      "{}: a view of [{}, +{}) lies outside its storage of {} elements", source, storage.view_begin, storage.view_size,
      storage.element_count);
}

}  // namespace

TorchStorage read_torch_storage(const PicklePersistent& persistent, const std::string& source) {
  const auto* id = persistent.id->as<PickleTuple>();
  SGF_CHECK(id != nullptr, "{}: a persistent id is not a tuple", source);
  const auto& kind = pickle_item<std::string>(id->items, 0, "'storage'", source);
  SGF_CHECK(kind == "storage", "{}: refers to a {}, expected a storage", source, in_quotes(kind));

  TorchStorage storage;
  const auto& type = pickle_item<PickleGlobal>(id->items, 1, "a storage type", source);
  storage.type = type.name;
  storage.dtype = storage_dtype(type, source);
  const auto& key = pickle_item<std::string>(id->items, 2, "a storage key", source);
  SGF_CHECK(key.size() <= kLongestKey, "{}: a storage key has {} characters, which is too long", source, key.size());
  storage.key = key;
  storage.element_count = storage.view_size = pickle_count(id->items, 4, "a storage size", source);
  const bool has_view = id->items.size() > 5 && id->items[5]->as<PickleNone>() == nullptr;
  if (has_view) read_view(storage, pickle_item<PickleTuple>(id->items, 5, "a view", source), source);
  return storage;
}

std::optional<DType> dtype_from_torch(std::string_view name) { return look_up(kElementTypes, name); }

uint64_t pickle_count(const std::vector<PickleRef>& items, size_t index, const char* what, const std::string& source) {
  const auto count = pickle_item<int64_t>(items, index, what, source);
  SGF_CHECK(count >= 0, "{}: {} must not be negative, got {}", source, what, count);
  return static_cast<uint64_t>(count);
}

}  // namespace sgf
