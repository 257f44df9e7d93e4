// Where future losses stop: the only difference between Self Forcing and Self Gradient Forcing. Torch-free.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

// The two values are the paper's matched pair, and its only difference.
enum class GradientBoundary {
  kFrozenContext,  // Self Forcing: context K/V are read as data.
  kOpenContext,    // Self Gradient Forcing: context K/V carry gradient to the weights that wrote them.
};

constexpr auto enum_names(GradientBoundary) {
  return std::array{EnumName{GradientBoundary::kFrozenContext, "frozen"},
                    EnumName{GradientBoundary::kOpenContext, "open"}};
}

}  // namespace sgf
