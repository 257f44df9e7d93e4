// Which of a block's predictions later blocks see. Torch-free.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class CacheLatents {
  kExit,        // that of the exit step
  kFinalClean,  // that of the last step: all are run, and the exit step only says what is recorded
};

constexpr auto enum_names(CacheLatents) {
  return std::array{EnumName{CacheLatents::kExit, "exit"}, EnumName{CacheLatents::kFinalClean, "final_clean"}};
}

}  // namespace sgf
