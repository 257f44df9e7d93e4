// What an evaluation leaves open and the paper does not say: recorded beside every result.
#pragma once

#include "sgf/core/enum_names.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>

namespace sgf {

enum class EvalProtocol {
  kVbench,      // each video as a whole
  kVbenchLong,  // cut into clips, as VBench-Long does
  kWorld,       // the built-in world's own measures, none of VBench's
};

constexpr auto enum_names(EvalProtocol) {
  return std::array{EnumName{EvalProtocol::kVbench, "vbench"}, EnumName{EvalProtocol::kVbenchLong, "vbench-long"},
                    EnumName{EvalProtocol::kWorld, "world"}};
}

struct EvalSwitches {
  EvalProtocol protocol = EvalProtocol::kVbench;
  int64_t clip_seconds = 2;    // of VBench-Long, which takes 10 for prompts of some dimensions
  bool reencodes = true;       // clips are written as H.264 and read back, as VBench-Long does
  bool slow_fast = true;       // consistency between clips is fused in: VBench-Long's --dev_flag
  bool static_filter = false;  // flicker on clips that stand still: --static_filter_flag
  int64_t static_clips = 5;    // of a prompt that are enough
  bool clip_in_half = false;   // CLIP in float16, as the original runs it on CUDA
  double fps = 16;             // of videos that name none
};

nlohmann::json to_json(const EvalSwitches& switches);
// Those that a score of one clip depends on: the others can change and kept scores still hold.
nlohmann::json clip_switches(const EvalSwitches& switches);

}  // namespace sgf
