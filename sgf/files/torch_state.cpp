// A bounded walk: a pickle can refer to one dict many times, and a few hundred bytes then unfold to more paths than
// memory can hold.
#include "sgf/files/torch_state.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <algorithm>
#include <string>

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

// Whether this call returns a tensor in Python: torch._utils._rebuild_tensor_v2 and its variants.
bool is_torch_tensor(const PickleObject& object) {
  const std::string_view name = object.callable->name;
  return name == kRebuild || name == kRebuildV2 || name == kRebuildV3 || name == kFromType || is_parameter(name);
}

// The entry that says where the elements of a tensor lie, from the call that would rebuild it: shape, strides, offset
// and extent, all checked against the storage's bytes. `source` starts every error message and names the tensor;
// `file_size` limits how far an expanded view may unfold.
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

constexpr int kDeepestState = 64;
constexpr size_t kLongestPlainList = 1024;
// Bytes of index per byte of pickle. State dicts need about 3, short lists of numbers under a long name 60.
constexpr size_t kUnfoldFactor = 32;
constexpr size_t kUnfoldFree = size_t{4} << 20;
constexpr size_t kMostUnfolded = size_t{64} << 20;
constexpr size_t kNodeBytes = 112;  // of a map from string to string

template <class... Kinds>
struct Overloaded : Kinds... {
  using Kinds::operator()...;
};
template <class... Kinds>
Overloaded(Kinds...) -> Overloaded<Kinds...>;  // clang before 17 does not deduce this

class Walk {
 public:
  Walk(const Pickle& pickle, const StorageLookup& find_storage, TensorFile& out)
      : source_(out.files.at(0)->path().string()),
        find_storage_(find_storage),
        out_(out),
        budget_(std::min(kUnfoldFree + kUnfoldFactor * pickle.byte_count, kMostUnfolded)) {}

  void visit(const std::string& name, PickleRef value, int depth) {
    SGF_CHECK(depth < kDeepestState, "{}: nested deeper than {} at {}", source_, kDeepestState, in_quotes(name));
    spend(name.size() + 8);  // never 0, because names can be empty
    std::visit(Overloaded{
                   [&](PickleNone) { note(name, "None"); },
                   [&](bool flag) { note(name, flag ? "True" : "False"); },
                   [&](const PickleBytes& bytes) { note(name, fmt::format("<{} bytes>", bytes.data.size())); },
                   [&](const PickleLong& number) { note(name, fmt::format("<{} byte integer>", number.data.size())); },
                   [&](const PickleList& list) { visit_items(name, list.items, depth); },
                   [&](const PickleTuple& tuple) { visit_items(name, tuple.items, depth); },
                   [&](const PickleDict& dict) { visit_dict(name, dict, depth); },
                   [&](const PickleGlobal& global) { note(name, global.name); },
                   [&](const PickleObject& object) { visit_object(name, object, depth); },
                   [&](const PicklePersistent&) { note(name, "<storage>"); },
                   [&](const auto& number_or_text) { note(name, fmt::format("{}", number_or_text)); },
               },
               value->data);
  }

 private:
  void spend(size_t amount) {
    SGF_CHECK(amount <= budget_, "{}: its shared parts unfold to too many names and values for a checkpoint", source_);
    budget_ -= amount;
  }

  void note(const std::string& name, std::string text) {
    spend(kNodeBytes + text.size());
    const bool is_new = out_.metadata.emplace(name, std::move(text)).second;
    SGF_CHECK(is_new, "{}: two values are named {}", source_, in_quotes(name));
  }

  static bool is_plain_value(PickleRef value) {
    return !value->as<PickleList>() && !value->as<PickleTuple>() && !value->as<PickleDict>() &&
           !value->as<PickleObject>();
  }

  static std::string join(const std::string& name, const std::string& part) {
    return name.empty() ? part : name + "." + part;
  }

  // Dicts are keyed by text or numbers; a key of another type is named by its position.
  static std::string key_text(PickleRef key, size_t position) {
    if (const auto* text = key->as<std::string>()) return *text;
    if (const auto* number = key->as<int64_t>()) return std::to_string(*number);
    return fmt::format("<key {}>", position);
  }

  // A list of a million losses becomes one entry, not a million.
  void visit_items(const std::string& name, const std::vector<PickleRef>& items, int depth) {
    const bool is_plain = items.size() > kLongestPlainList && std::ranges::all_of(items, is_plain_value);
    if (is_plain) return note(name, fmt::format("<{} values>", items.size()));
    for (size_t i = 0; i < items.size(); ++i) visit(join(name, std::to_string(i)), items[i], depth + 1);
  }

  void visit_dict(const std::string& name, const PickleDict& dict, int depth) {
    for (size_t i = 0; i < dict.items.size(); ++i) {
      visit(join(name, key_text(dict.items[i].first, i)), dict.items[i].second, depth + 1);
    }
  }

  // Attributes of a plain object are read like a dict's items; TorchScript wraps its lists in a call.
  void visit_object(const std::string& name, const PickleObject& object, int depth) {
    if (is_torch_tensor(object)) return add_tensor(name.empty() ? "tensor" : name, object, depth);
    const auto* state = object.state ? object.state->as<PickleDict>() : nullptr;
    if (state != nullptr) return visit_dict(name, *state, depth);
    const auto& args = object.args->as<PickleTuple>()->items;
    const bool is_wrapped_list = object.callable->name.starts_with("torch.jit._pickle.") && !args.empty();
    if (is_wrapped_list) return visit(name, args[0], depth + 1);
    note(name, fmt::format("<{}>", object.callable->name));
  }

  void add_tensor(const std::string& name, const PickleObject& object, int depth) {
    out_.is_flattened = out_.is_flattened || depth > 1;
    const uint64_t file_size = out_.files[0]->bytes().size();
    TensorEntry entry =
        read_torch_tensor(object, find_storage_, file_size, fmt::format("{}: tensor {}", source_, in_quotes(name)));
    spend(kNodeBytes + name.size() + 2 * sizeof entry + 16 * entry.shape.size());
    entry.name = name;
    out_.add(std::move(entry));
  }

  std::string source_;
  const StorageLookup& find_storage_;
  TensorFile& out_;
  size_t budget_;
};

}  // namespace

void flatten_torch_state(const Pickle& pickle, const StorageLookup& find_storage, TensorFile& out) {
  Walk(pickle, find_storage, out).visit("", pickle.root, 0);
}

}  // namespace sgf
