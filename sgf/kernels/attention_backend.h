// Which implementation computes dense attention. Torch-free; dense_attention.h checks what each accepts.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>

namespace sgf {

enum class AttentionBackend {
  kAuto,   // the fastest that supports this device and dtype
  kCudnn,  // CUDA, 16-bit
  kFlash,  // CUDA 16-bit (FlashAttention-2); on the CPU ATen's blocked kernel, any dtype
  kMath,   // plain tensor algebra: any device and dtype, quadratic memory; the reference for the others
};

constexpr auto enum_names(AttentionBackend) {
  return std::array{EnumName{AttentionBackend::kAuto, "auto"}, EnumName{AttentionBackend::kCudnn, "cudnn"},
                    EnumName{AttentionBackend::kFlash, "flash"}, EnumName{AttentionBackend::kMath, "math"}};
}

}  // namespace sgf
