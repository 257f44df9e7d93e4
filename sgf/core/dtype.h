// Element types as weight files name them. Torch-free, so that the readers are too.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sgf {

enum class DType {
  kBool,
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kU64,
  kI64,
  kF8E4M3,
  kF8E5M2,
  kF16,
  kBF16,
  kF32,
  kF64,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kC64,
};

int64_t byte_size(DType dtype);

// The safetensors spelling: "F32", "BF16", "F8_E4M3"...
std::string_view name_of(DType dtype);

std::optional<DType> dtype_from_name(std::string_view safetensors_name);

}  // namespace sgf
