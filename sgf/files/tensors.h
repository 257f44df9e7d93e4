// Conversion between weight files and torch tensors.
#pragma once

#include "sgf/files/tensor_file.h"

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sgf {

at::ScalarType scalar_type_of(DType dtype);
DType dtype_of(at::ScalarType type);
inline bool is_floating(DType dtype) { return at::isFloatingType(scalar_type_of(dtype)); }
// "float64", "float32", "bfloat16" or "float16"; throws Error for any other name.
at::ScalarType scalar_type_from_name(std::string_view name);
std::string_view name_of(at::ScalarType type);

// A read-only view of the mapped bytes that keeps the file mapped. Copy it (`.to`, `.clone`) before writing.
at::Tensor map_tensor(const TensorFile& file, const TensorEntry& entry);

// The named tensor. If it is missing, throws an Error that suggests the nearest name.
at::Tensor map_tensor(const TensorFile& file, std::string_view name);

// A copy of an entry. The mapped bytes leave this process's memory, so that loading a file, tensor by tensor, needs
// little more than its copies.
at::Tensor copy_tensor(const TensorFile& file, const TensorEntry& entry, at::TensorOptions options);

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Atomic: temporary name, fsync, rename.
void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const std::map<std::string, std::string>& metadata);

}  // namespace sgf
