#include "sgf/core/cpu_tiles.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <cstdlib>

namespace sgf {

CpuTiles read_cpu_tiles() {
#ifdef __x86_64__
  constexpr unsigned kFlagsLeaf = 7, kTilesLeaf = 0x1d, kTilesBit = 24;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  CpuTiles tiles;
  if (__get_cpuid_count(kFlagsLeaf, 0, &eax, &ebx, &ecx, &edx) != 0) tiles.are_offered = (edx >> kTilesBit & 1U) != 0;
  if (__get_cpuid_count(kTilesLeaf, 0, &eax, &ebx, &ecx, &edx) != 0) tiles.palettes = eax;
  return tiles;
#else
  return {};
#endif
}

void avoid_undescribed_tiles(const CpuTiles& tiles) {
  if (!tiles.are_offered || tiles.palettes > 0) return;
  setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16", /*overwrite=*/0);
}

}  // namespace sgf
