// Between weight files and torch tensors.
#pragma once

#include "sgf/files/tensor_file.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sgf {

at::ScalarType scalar_type_of(DType dtype);
DType dtype_of(at::ScalarType type);
inline bool is_floating(DType dtype) { return at::isFloatingType(scalar_type_of(dtype)); }
// "float64", "float32", "bfloat16", "float16"; throws with what was expected.
at::ScalarType scalar_type_from_name(std::string_view name);
std::string_view name_of(at::ScalarType type);

// A read-only view of the mapped bytes; it keeps the file mapped. Copy (`.to`, `.clone`) before writing to it.
at::Tensor map_tensor(const TensorFile& file, const TensorEntry& entry);

// The named tensor, or an Error that says what the file has near it.
at::Tensor map_tensor(const TensorFile& file, std::string_view name);

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Crash-safe: temporary name, fsync, rename.
void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const std::map<std::string, std::string>& metadata);

}  // namespace sgf
