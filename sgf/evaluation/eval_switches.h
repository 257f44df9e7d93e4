// Choices of an evaluation that the paper does not state; stored with every result.
#pragma once

#include "sgf/core/enum_names.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>

namespace sgf {

enum class EvalProtocol {
  kVbench,      // whole videos
  kVbenchLong,  // split into clips as in VBench-Long
  kWorld,       // the built-in world's own metrics instead of VBench's
};

constexpr auto enum_names(EvalProtocol) {
  return std::array{EnumName{EvalProtocol::kVbench, "vbench"}, EnumName{EvalProtocol::kVbenchLong, "vbench-long"},
                    EnumName{EvalProtocol::kWorld, "world"}};
}

struct EvalSwitches {
  EvalProtocol protocol = EvalProtocol::kVbench;
  int64_t clip_seconds = 2;    // for VBench-Long, which uses 10 for prompts of some dimensions
  bool reencodes = true;       // clips are written as H.264 and read back, as in VBench-Long
  bool slow_fast = true;       // includes consistency between clips: VBench-Long's --dev_flag
  bool static_filter = false;  // flicker only on static clips: --static_filter_flag
  int64_t static_clips = 5;    // static clips needed per prompt
  bool clip_in_half = false;   // CLIP in float16, as the original runs it on CUDA
  double fps = 16;             // for videos without a rate
};

nlohmann::json to_json(const EvalSwitches& switches);
// The switches that affect the score of one clip: cached scores stay valid if others change.
nlohmann::json clip_switches(const EvalSwitches& switches);

}  // namespace sgf
