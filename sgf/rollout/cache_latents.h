// Which prediction of a block is written to the cache for later blocks. Torch-free.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class CacheLatents {
  kExit,        // the prediction of the exit step
  kFinalClean,  // that of the last step: all steps run, the exit step only selects the recorded one
};

constexpr auto enum_names(CacheLatents) {
  return std::array{EnumName{CacheLatents::kExit, "exit"}, EnumName{CacheLatents::kFinalClean, "final_clean"}};
}

}  // namespace sgf
