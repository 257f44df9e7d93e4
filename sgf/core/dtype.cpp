// The table behind the element types: one row per type.
#include "sgf/core/dtype.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sgf {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  int64_t bytes;
};

// In the order of the enum, so that a type's value is its row number.
constexpr std::array kRows{
    Row{DType::kBool, "BOOL", 1},
    Row{DType::kU8, "U8", 1},
    Row{DType::kI8, "I8", 1},
    Row{DType::kU16, "U16", 2},
    Row{DType::kI16, "I16", 2},
    Row{DType::kU32, "U32", 4},
    Row{DType::kI32, "I32", 4},
    Row{DType::kU64, "U64", 8},
    Row{DType::kI64, "I64", 8},
    Row{DType::kF8E4M3, "F8_E4M3", 1},
    Row{DType::kF8E5M2, "F8_E5M2", 1},
    Row{DType::kF16, "F16", 2},
    Row{DType::kBF16, "BF16", 2},
    Row{DType::kF32, "F32", 4},
    Row{DType::kF64, "F64", 8},
    Row{DType::kF8E8M0, "F8_E8M0", 1},
    Row{DType::kF8E4M3Fnuz, "F8_E4M3FNUZ", 1},
    Row{DType::kF8E5M2Fnuz, "F8_E5M2FNUZ", 1},
    Row{DType::kC64, "C64", 8},
};

constexpr bool rows_follow_the_enum() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].dtype) != i) return false;
  }
  return true;
}
static_assert(rows_follow_the_enum());

const Row& row_of(DType dtype) { return kRows.at(static_cast<size_t>(dtype)); }

}  // namespace

int64_t byte_size(DType dtype) { return row_of(dtype).bytes; }

std::string_view name_of(DType dtype) { return row_of(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view safetensors_name) {
  const auto row = std::ranges::find(kRows, safetensors_name, &Row::name);
  if (row == kRows.end()) return std::nullopt;
  return row->dtype;
}

}  // namespace sgf
