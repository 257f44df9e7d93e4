// Tile registers of a CPU (Intel AMX), as the CPU reports them. Torch-free.
#pragma once

#include <cstdint>

namespace sgf {

struct CpuTiles {
  bool are_offered = false;  // according to the CPU's flags
  int64_t palettes = 0;      // tile layouts that the CPU describes
};

CpuTiles read_cpu_tiles();

// Some virtual machines advertise tiles but hide their description. oneDNN, which torch uses for bfloat16 matmuls, then
// sets up tiles without a layout and crashes with an illegal instruction. This tells oneDNN, before its first matmul,
// not to use tiles. A value that the user has set in ONEDNN_MAX_CPU_ISA is kept.
void avoid_undescribed_tiles(const CpuTiles& tiles = read_cpu_tiles());

}  // namespace sgf
