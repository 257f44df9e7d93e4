// Shared by the CPU row kernels: the shape they walk, and how a function is compiled once per instruction set.
// Torch-free, like the .cu files: raw pointers, and the range of the work that the calling thread takes.
#pragma once

#include "sgf/kernels/cuda/row.h"

#include <cstdint>

namespace sgf::cpu {

using cuda::RowShape;

// Each kernel is compiled for AVX-512, AVX2 and any x86-64; at run time the widest supported one is chosen.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SGF_EVERY_X86 __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SGF_EVERY_X86
#endif
// Bodies are written once for both float types and inlined into every clone.
#define SGF_BODY inline __attribute__((always_inline))

// Half-open range of groups or rows.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
};

}  // namespace sgf::cpu
