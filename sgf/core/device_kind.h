// The devices that a config can name. Torch-free; device.h resolves them.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class DeviceKind {
  kAuto,  // a GPU if there is one
  kCpu,
  kCuda,
};

constexpr auto enum_names(DeviceKind) {
  return std::array{EnumName{DeviceKind::kAuto, "auto"}, EnumName{DeviceKind::kCpu, "cpu"},
                    EnumName{DeviceKind::kCuda, "cuda"}};
}

}  // namespace sgf
