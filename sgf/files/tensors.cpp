// Views of mapped bytes as torch tensors, and tensors written back.
#include "sgf/files/tensors.h"

#include "sgf/core/error.h"
#include "sgf/core/file_error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/nearest_name.h"
#include "sgf/files/safetensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace sgf {
namespace {

struct Row {
  DType dtype;
  at::ScalarType type;
  std::string_view name;
};

constexpr std::array kRows{
    Row{DType::kBool, at::kBool, "bool"},
    Row{DType::kU8, at::kByte, "uint8"},
    Row{DType::kI8, at::kChar, "int8"},
    Row{DType::kU16, at::kUInt16, "uint16"},
    Row{DType::kI16, at::kShort, "int16"},
    Row{DType::kU32, at::kUInt32, "uint32"},
    Row{DType::kI32, at::kInt, "int32"},
    Row{DType::kU64, at::kUInt64, "uint64"},
    Row{DType::kI64, at::kLong, "int64"},
    Row{DType::kF8E4M3, at::kFloat8_e4m3fn, "float8_e4m3fn"},
    Row{DType::kF8E5M2, at::kFloat8_e5m2, "float8_e5m2"},
    Row{DType::kF16, at::kHalf, "float16"},
    Row{DType::kBF16, at::kBFloat16, "bfloat16"},
    Row{DType::kF32, at::kFloat, "float32"},
    Row{DType::kF64, at::kDouble, "float64"},
    Row{DType::kF8E8M0, at::kFloat8_e8m0fnu, "float8_e8m0fnu"},
    Row{DType::kF8E4M3Fnuz, at::kFloat8_e4m3fnuz, "float8_e4m3fnuz"},
    Row{DType::kF8E5M2Fnuz, at::kFloat8_e5m2fnuz, "float8_e5m2fnuz"},
    Row{DType::kC64, at::kComplexFloat, "complex64"},
};

const Row& row_of(at::ScalarType type) {
  const auto row = std::ranges::find(kRows, type, &Row::type);
  SGF_CHECK(row != kRows.end(), "tensors of type {} cannot be stored in weight files", c10::toString(type));
  return *row;
}

// Copies the bytes to memory of their own: data at an unaligned address cannot be used in place.
std::shared_ptr<const void> aligned_copy(std::span<const std::byte> bytes) {
  auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  return {copy, copy->data()};
}

at::Tensor view_of(const std::shared_ptr<const void>& data, const TensorEntry& entry) {
  // from_blob asks for a mutable pointer; the map is read-only, so a write ends the program and does not change the
  // file.
  return at::from_blob(
      const_cast<void*>(data.get()), entry.shape, entry.strides, [data](void*) {},
      at::TensorOptions(scalar_type_of(entry.dtype)));
}

std::vector<std::string> names_of(const TensorFile& file) {
  std::vector<std::string> names;
  for (const TensorEntry& entry : file.entries) names.push_back(entry.name);
  return names;
}

OutgoingTensor outgoing(const std::string& name, const at::Tensor& tensor) {
  const auto produce = [tensor](const ByteSink& sink) {
    const at::Tensor dense = tensor.detach().cpu().contiguous();
    sink({static_cast<const std::byte*>(dense.const_data_ptr()), dense.nbytes()});
  };
  return {.name = name, .dtype = dtype_of(tensor.scalar_type()), .shape = tensor.sizes().vec(), .produce = produce};
}

}  // namespace

at::ScalarType scalar_type_of(DType dtype) { return std::ranges::find(kRows, dtype, &Row::dtype)->type; }

DType dtype_of(at::ScalarType type) { return row_of(type).dtype; }

at::ScalarType scalar_type_from_name(std::string_view name) {
  constexpr std::array kComputeTypes{at::kDouble, at::kFloat, at::kBFloat16, at::kHalf};
  const auto found = std::ranges::find(kComputeTypes, name, [](at::ScalarType type) { return name_of(type); });
  SGF_CHECK(found != kComputeTypes.end(), "dtype must be float64, float32, bfloat16 or float16, got {}",
            in_quotes(name));
  return *found;
}

std::string_view name_of(at::ScalarType type) { return row_of(type).name; }

at::Tensor map_tensor(const TensorFile& file, const TensorEntry& entry) {
  const std::span<const std::byte> bytes = file.bytes(entry);
  if (entry.element_count() == 0) return at::empty(entry.shape, at::TensorOptions(scalar_type_of(entry.dtype)));
  const auto address = reinterpret_cast<uintptr_t>(bytes.data());
  const bool is_aligned = address % static_cast<uintptr_t>(byte_size(entry.dtype)) == 0;
  if (!is_aligned) return view_of(aligned_copy(bytes), entry);
  return view_of({file.files.at(entry.file), bytes.data()}, entry);
}

at::Tensor map_tensor(const TensorFile& file, std::string_view name) {
  if (const TensorEntry* entry = file.find(name)) return map_tensor(file, *entry);
  const std::string path = file.files.empty() ? "(memory)" : file.files.front()->path().string();
  const std::optional<std::string> nearest = nearest_name(name, names_of(file));
  fail_in_file(path, "has no tensor {}{}", in_quotes(name),
               nearest ? fmt::format("; did you mean {}?", in_quotes(*nearest)) : "");
}

at::Tensor copy_tensor(const TensorFile& file, const TensorEntry& entry, at::TensorOptions options) {
  at::Tensor copy = map_tensor(file, entry).to(options, /*non_blocking=*/false, /*copy=*/true).contiguous();
  file.files.at(entry.file)->let_go(file.bytes(entry));
  return copy;
}

void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const std::map<std::string, std::string>& metadata) {
  std::vector<OutgoingTensor> outgoing_tensors;
  for (const auto& [name, tensor] : tensors) outgoing_tensors.push_back(outgoing(name, tensor));
  write_safetensors(path, outgoing_tensors, metadata);
}

}  // namespace sgf
