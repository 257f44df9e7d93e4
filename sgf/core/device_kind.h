// The devices that a config can ask for. Torch-free; device.h finds the one that is meant.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class DeviceKind {
  kAuto,  // a GPU where there is one
  kCpu,
  kCuda,
};

constexpr auto enum_names(DeviceKind) {
  return std::array{EnumName{DeviceKind::kAuto, "auto"}, EnumName{DeviceKind::kCpu, "cpu"},
                    EnumName{DeviceKind::kCuda, "cuda"}};
}

}  // namespace sgf
