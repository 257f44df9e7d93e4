// Tile registers of a CPU (Intel's AMX), as far as it describes them. Torch-free.
#pragma once

#include <cstdint>

namespace sgf {

struct CpuTiles {
  bool are_offered = false;  // by the CPU's flags
  int64_t palettes = 0;      // layouts of tiles that it describes
};

CpuTiles read_cpu_tiles();

// Some virtual machines offer tiles and hide what describes them. oneDNN, by which torch multiplies in bfloat16, then
// sets up tiles of no layout and dies of an illegal instruction. Tells it, before its first product, to do without
// tiles; a word of the user's in ONEDNN_MAX_CPU_ISA stays.
void avoid_undescribed_tiles(const CpuTiles& tiles = read_cpu_tiles());

}  // namespace sgf
