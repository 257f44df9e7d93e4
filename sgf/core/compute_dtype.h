// The element types that networks compute in. Torch-free; weight files know more types (dtype.h).
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class ComputeDtype { kFloat64, kFloat32, kBFloat16 };

constexpr auto enum_names(ComputeDtype) {
  return std::array{EnumName{ComputeDtype::kFloat64, "float64"}, EnumName{ComputeDtype::kFloat32, "float32"},
                    EnumName{ComputeDtype::kBFloat16, "bfloat16"}};
}

}  // namespace sgf
