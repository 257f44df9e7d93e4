// File names for the videos of many prompts, safe on any file system. Torch-free.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>
#include <cstdint>
#include <string>

namespace sgf {

enum class VideoNaming {
  kNumbered,  // 0003-a-red-disc-7.mp4: line, start of the prompt, seed
  kVbench,    // a red disc-0.mp4: the whole prompt and the sample's number, as VBench expects
};

constexpr auto enum_names(VideoNaming) {
  return std::array{EnumName{VideoNaming::kNumbered, "numbered"}, EnumName{VideoNaming::kVbench, "vbench"}};
}

struct NamedVideo {
  std::string prompt;
  int64_t line = 0;    // of the prompt in its file, from 0
  int64_t sample = 0;  // of the prompt
  int64_t samples = 1;
  int64_t seed = 0;
};

// Without extension. A prompt that cannot be a file name (a slash, more than 200 bytes) is changed in VBench's mode
// too, but names stay distinct. The manifest has the original prompt.
std::string video_name(const NamedVideo& video, VideoNaming naming);

}  // namespace sgf
