// The pickle names storages by number; each storage is a zip record of that name.
#include "sgf/files/torch_archive_writer.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/zip_writer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

namespace sgf {
namespace {

// How Python names an element type. Types without a storage class of their own are views of untyped bytes.
struct TorchType {
  DType type;
  const char* storage;          // "torch FloatStorage"
  const char* dtype = nullptr;  // "torch uint16" for an untyped storage
};

constexpr const char* kUntyped = "torch.storage UntypedStorage";
constexpr std::array kTorchTypes{
    TorchType{DType::kBool, "torch BoolStorage"},
    TorchType{DType::kU8, "torch ByteStorage"},
    TorchType{DType::kI8, "torch CharStorage"},
    TorchType{DType::kI16, "torch ShortStorage"},
    TorchType{DType::kI32, "torch IntStorage"},
    TorchType{DType::kI64, "torch LongStorage"},
    TorchType{DType::kF16, "torch HalfStorage"},
    TorchType{DType::kBF16, "torch BFloat16Storage"},
    TorchType{DType::kF32, "torch FloatStorage"},
    TorchType{DType::kF64, "torch DoubleStorage"},
    TorchType{DType::kU16, kUntyped, "torch uint16"},
    TorchType{DType::kU32, kUntyped, "torch uint32"},
    TorchType{DType::kU64, kUntyped, "torch uint64"},
    TorchType{DType::kF8E4M3, kUntyped, "torch float8_e4m3fn"},
    TorchType{DType::kF8E5M2, kUntyped, "torch float8_e5m2"},
    TorchType{DType::kF8E8M0, kUntyped, "torch float8_e8m0fnu"},
    TorchType{DType::kF8E4M3Fnuz, kUntyped, "torch float8_e4m3fnuz"},
    TorchType{DType::kF8E5M2Fnuz, kUntyped, "torch float8_e5m2fnuz"},
    TorchType{DType::kC64, "torch ComplexFloatStorage"},
};

const TorchType& torch_type(DType dtype) {
  const auto found = std::ranges::find(kTorchTypes, dtype, &TorchType::type);
  SGF_CHECK(found != kTorchTypes.end(), "dtype {} has no torch type", static_cast<int>(dtype));
  return *found;
}

// Opcodes of pickle protocol 2, as far as a state dict needs them. Nothing is memoised: memoising would save a few
// kilobytes at most and make the code harder to read.
class PickleWriter {
 public:
  PickleWriter() { text_ = "\x80\x02"; }

  void global(std::string_view module_and_name) {
    const size_t space = module_and_name.find(' ');
    text_ += fmt::format("c{}\n{}\n", module_and_name.substr(0, space), module_and_name.substr(space + 1));
  }
  void unicode(std::string_view text) {
    text_ += 'X';
    little_endian(text.size(), 4);
    text_ += text;
  }
  void integer(int64_t value) {
    const bool is_short = value >= 0 && value <= std::numeric_limits<int32_t>::max();
    text_ += is_short ? "J" : "\x8a\x08";
    little_endian(static_cast<uint64_t>(value), is_short ? 4 : 8);
  }
  void integers(const std::vector<int64_t>& values) {
    mark();
    for (const int64_t value : values) integer(value);
    tuple();
  }
  void empty_ordered_dict() {
    global("collections OrderedDict");
    text_ += ")R";
  }
  void mark() { text_ += '('; }
  void tuple() { text_ += 't'; }
  void call() { text_ += 'R'; }
  void persistent() { text_ += 'Q'; }
  void make_false() { text_ += '\x89'; }
  void set_items() { text_ += 'u'; }
  std::string finish() { return std::move(text_) + '.'; }

 private:
  void little_endian(uint64_t value, size_t width) {
    for (size_t i = 0; i < width; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xff);
  }

  std::string text_;
};

uint64_t byte_count(const OutgoingTensor& tensor, const std::string& path) {
  const std::optional<uint64_t> bytes = dense_byte_count(tensor.dtype, tensor.shape);
  SGF_CHECK(bytes.has_value(), "{}: tensor {} is too large or has a negative dimension: shape [{}]", path,
            in_quotes(tensor.name), fmt::join(tensor.shape, ", "));
  return *bytes;
}

// ('storage', type, key, 'cpu', count): the count is in bytes for an untyped storage, otherwise in elements.
void write_storage(PickleWriter& out, const OutgoingTensor& tensor, size_t key, uint64_t bytes) {
  const TorchType type = torch_type(tensor.dtype);
  const uint64_t unit = type.dtype ? 1 : static_cast<uint64_t>(byte_size(tensor.dtype));
  out.mark();
  out.unicode("storage");
  out.global(type.storage);
  out.unicode(std::to_string(key));
  out.unicode("cpu");
  out.integer(static_cast<int64_t>(bytes / unit));
  out.tuple();
  out.persistent();
}

// _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks); v3 also has the element type.
void write_tensor(PickleWriter& out, const OutgoingTensor& tensor, size_t key, uint64_t bytes) {
  const TorchType type = torch_type(tensor.dtype);
  out.global(type.dtype ? "torch._utils _rebuild_tensor_v3" : "torch._utils _rebuild_tensor_v2");
  out.mark();
  write_storage(out, tensor, key, bytes);
  out.integer(0);
  out.integers(tensor.shape);
  out.integers(row_major_strides(tensor.shape));
  out.make_false();
  out.empty_ordered_dict();
  if (type.dtype) out.global(type.dtype);
  out.tuple();
  out.call();
}

// A state dict whose storages are numbered from `first_key` on.
void write_state_dict(PickleWriter& out, const std::vector<OutgoingTensor>& tensors, size_t first_key,
                      const std::string& path) {
  std::set<std::string_view> names;
  out.empty_ordered_dict();
  out.mark();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const OutgoingTensor& tensor = tensors[i];
    SGF_CHECK(names.insert(tensor.name).second, "{}: the name {} is already used", path, in_quotes(tensor.name));
    out.unicode(tensor.name);
    write_tensor(out, tensor, first_key + i, byte_count(tensor, path));
  }
  out.set_items();
}

std::string pickle_dicts(const std::vector<OutgoingDict>& dicts, const std::string& path) {
  PickleWriter out;
  std::set<std::string_view> keys;
  size_t first_key = 0;
  out.empty_ordered_dict();
  out.mark();
  for (const OutgoingDict& dict : dicts) {
    SGF_CHECK(keys.insert(dict.key).second, "{}: the key {} is already used", path, in_quotes(dict.key));
    out.unicode(dict.key);
    write_state_dict(out, dict.tensors, first_key, path);
    first_key += dict.tensors.size();
  }
  out.set_items();
  return out.finish();
}

// `tensors` in the order in which the pickle numbers their storages.
void write_archive(const std::filesystem::path& path, const std::string& pickle,
                   const std::vector<const OutgoingTensor*>& tensors) {
  AtomicFile file(path);
  ZipWriter zip(file);
  zip.add("archive/data.pkl", pickle);
  zip.add("archive/byteorder", "little");
  for (size_t key = 0; key < tensors.size(); ++key) {
    zip.add(fmt::format("archive/data/{}", key), byte_count(*tensors[key], path.string()), tensors[key]->produce);
  }
  zip.add("archive/version", "3\n");
  zip.finish();
  file.commit();
}

}  // namespace

void write_torch_archive(const std::filesystem::path& path, const std::vector<OutgoingTensor>& tensors) {
  PickleWriter out;
  write_state_dict(out, tensors, 0, path.string());
  std::vector<const OutgoingTensor*> order;
  for (const OutgoingTensor& tensor : tensors) order.push_back(&tensor);
  write_archive(path, out.finish(), order);
}

void write_torch_dicts(const std::filesystem::path& path, const std::vector<OutgoingDict>& dicts) {
  std::vector<const OutgoingTensor*> order;
  for (const OutgoingDict& dict : dicts)
    for (const OutgoingTensor& tensor : dict.tensors) order.push_back(&tensor);
  write_archive(path, pickle_dicts(dicts, path.string()), order);
}

}  // namespace sgf
