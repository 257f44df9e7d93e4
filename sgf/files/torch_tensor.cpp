// Unwraps parameters and subclasses down to a plain rebuild call, then reads its arguments.
#include "sgf/files/torch_tensor.h"

#include "sgf/core/in_quotes.h"

#include <algorithm>

namespace sgf {
namespace {

constexpr size_t kMostDimensions = 64;  // torch's limit

constexpr std::string_view kRebuild = "torch._utils._rebuild_tensor";       // storage, offset, size, stride
constexpr std::string_view kRebuildV2 = "torch._utils._rebuild_tensor_v2";  // ..., grad, hooks[, metadata]
constexpr std::string_view kRebuildV3 = "torch._utils._rebuild_tensor_v3";  // ..., grad, hooks, dtype[, metadata]
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";
constexpr std::string_view kParameterWithState = "torch._utils._rebuild_parameter_with_state";
constexpr std::string_view kFromType = "torch._tensor._rebuild_from_type_v2";  // call, type, args, state

struct Call {
  std::string_view name;
  const std::vector<PickleRef>* args = nullptr;
};

Call call_of(const PickleObject& object) { return {object.callable->name, &object.args->as<PickleTuple>()->items}; }

bool is_parameter(std::string_view name) { return name == kParameter || name == kParameterWithState; }

// A loop, not a recursion: a hostile file can wrap a million parameters around each other.
Call innermost_call(const PickleObject& object, const std::string& source) {
  Call call = call_of(object);
  while (true) {
    if (is_parameter(call.name)) {
      call = call_of(pickle_item<PickleObject>(*call.args, 0, "a parameter's tensor", source));
    } else if (call.name == kFromType) {
      const auto& function = pickle_item<PickleGlobal>(*call.args, 0, "a function", source);
      call = {function.name, &pickle_item<PickleTuple>(*call.args, 2, "arguments", source).items};
    } else {
      return call;
    }
  }
}

// torch.Size((2, 3)), which may replace a plain tuple.
const std::vector<PickleRef>* inside_torch_size(PickleRef value) {
  const auto* object = value->as<PickleObject>();
  if (object == nullptr || object->callable->name != "torch.Size") return nullptr;
  return &object->args->as<PickleTuple>()->items;
}

// A tuple of counts, bare or wrapped in torch.Size.
std::vector<int64_t> read_counts(const std::vector<PickleRef>& args, size_t index, const char* what,
                                 const std::string& source) {
  const auto* wrapped = index < args.size() ? inside_torch_size(args[index]) : nullptr;
  const auto& items = (wrapped ? pickle_item<PickleTuple>(*wrapped, 0, what, source)
                               : pickle_item<PickleTuple>(args, index, what, source))
                          .items;
  SGF_CHECK(items.size() <= kMostDimensions, "{}: {} dimensions, at most {} are allowed", source, items.size(),
            kMostDimensions);
  std::vector<int64_t> counts;
  for (size_t i = 0; i < items.size(); ++i) {
    counts.push_back(static_cast<int64_t>(pickle_count(items, i, what, source)));
  }
  return counts;
}

DType read_dtype(const Call& call, const TorchStorage& storage, const std::string& source) {
  if (call.name != kRebuildV3) {
    SGF_CHECK(storage.dtype.has_value(), "{}: is stored in a {}, which is not supported", source,
              in_quotes(storage.type));
    return *storage.dtype;
  }
  const auto& name = pickle_item<PickleGlobal>(*call.args, 6, "an element type", source).name;
  const std::optional<DType> dtype = dtype_from_torch(name);
  SGF_CHECK(dtype.has_value(), "{}: element type {} is not supported", source, in_quotes(name));
  return *dtype;
}

// The metadata, if present, says that the bytes must be negated or conjugated when read.
void check_plain(const Call& call, const std::string& source) {
  const size_t index = call.name == kRebuildV3 ? 7 : 6;
  if (call.name == kRebuild || call.args->size() <= index) return;
  const auto* metadata = (*call.args)[index]->as<PickleDict>();
  SGF_CHECK(metadata == nullptr || metadata->items.empty(),
            "{}: is a lazily negated or conjugated view; save tensor.resolve_neg().resolve_conj()", source);
}

// Elements from [0, ..., 0] to one past the last; nullopt on 64-bit overflow.
std::optional<uint64_t> span_of(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  uint64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    uint64_t reach = 0;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach) || __builtin_add_overflow(last, reach, &last)) {
      return std::nullopt;
    }
  }
  return last == UINT64_MAX ? std::nullopt : std::optional(last + 1);
}

// Places the view in its storage, after checking that it fits.
void place(TensorEntry& entry, uint64_t storage_offset, ByteRange storage, const std::string& source) {
  const auto size = static_cast<uint64_t>(byte_size(entry.dtype));
  const uint64_t elements = storage.size / size;
  const std::optional<uint64_t> span = span_of(entry.shape, entry.strides);
  SGF_CHECK(span.has_value() && storage_offset <= elements && *span <= elements - storage_offset,
            "{}: shape [{}] with strides [{}] at {} exceeds its storage of {} elements", source,
            fmt::join(entry.shape, ", "), fmt::join(entry.strides, ", "), storage_offset, elements);
  entry.offset = storage.offset + storage_offset * size;
  entry.extent = *span * size;
}

// A stride of zero repeats bytes. A view must not unfold to more than the file's size, so that code that trusts an
// entry never allocates more than that.
void check_unfolded_size(const TensorEntry& entry, uint64_t file_size, const std::string& source) {
  const std::optional<uint64_t> bytes = dense_byte_count(entry.dtype, entry.shape);
  SGF_CHECK(bytes.has_value() && *bytes <= file_size,
            "{}: shape [{}] unfolds to more than the file of {} bytes; save tensor.contiguous()", source,
            fmt::join(entry.shape, ", "), file_size);
}

}  // namespace

bool is_torch_tensor(const PickleObject& object) {
  const std::string_view name = object.callable->name;
  return name == kRebuild || name == kRebuildV2 || name == kRebuildV3 || name == kFromType || is_parameter(name);
}

TensorEntry read_torch_tensor(const PickleObject& object, const StorageLookup& find_storage, uint64_t file_size,
                              const std::string& source) {
  const Call call = innermost_call(object, source);
  SGF_CHECK(call.name == kRebuild || call.name == kRebuildV2 || call.name == kRebuildV3,
            "{}: is rebuilt by {}, which is not supported", source, in_quotes(call.name));
  check_plain(call, source);
  const TorchStorage storage =
      read_torch_storage(pickle_item<PicklePersistent>(*call.args, 0, "a storage", source), source);
  TensorEntry entry;
  entry.dtype = read_dtype(call, storage, source);
  entry.shape = read_counts(*call.args, 2, "shape", source);
  entry.strides = read_counts(*call.args, 3, "stride", source);
  SGF_CHECK(entry.shape.size() == entry.strides.size(), "{}: {} dimensions but {} strides", source, entry.shape.size(),
            entry.strides.size());
  check_unfolded_size(entry, file_size, source);
  place(entry, pickle_count(*call.args, 1, "storage offset", source), find_storage(storage), source);
  return entry;
}

}  // namespace sgf
