// Clips of the world as files, and a manifest with the caption of each.
#pragma once

#include "sgf/media/png.h"
#include "sgf/world/clip_list.h"
#include "sgf/world/preset.h"
#include "sgf/world/scene.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class ClipFormat {
  kMp4,  // clip_00000.mp4: small, but lossy
  kPng,  // clip_00000/frame_00000.png: exact to 1/510
};

constexpr auto enum_names(ClipFormat) {
  return std::array{EnumName{ClipFormat::kMp4, "mp4"}, EnumName{ClipFormat::kPng, "png"}};
}

struct ClipOrder {
  WorldPreset preset;
  uint64_t seed = 0;
  int64_t clips = 4;
  int64_t frames = 81;
  std::optional<WorldCaption> caption;  // for all clips; without it each clip draws its own

  WorldScene scene(int64_t clip) const;
};

struct ClipFiles {
  std::filesystem::path folder;  // created if needed; must be empty
  ClipFormat format = ClipFormat::kMp4;
  double fps = 16;
  int64_t crf = 12;     // for mp4
  int64_t enlarge = 4;  // for mp4: upscale factor that keeps colours in 4:2:0; a power of two
};

struct ClipEncoder {
  std::string name;  // empty if no mp4 files were written
  bool is_h264 = true;
};

// Renders all clips, then writes `captions.txt`, one caption per line, and `manifest.json`, which also names the files.
// The manifest is written last: a folder that has it is complete. `done` is called after every clip. Returns the
// encoder that FFmpeg used for mp4 files. The files do not depend on `threads`, each of which renders whole clips.
ClipEncoder render_clips(const ClipOrder& order, const ClipFiles& files, const std::function<void(int64_t)>& done,
                         int64_t threads = 1);

// A row for each of the first eight clips, with eight moments each.
RgbImage strip_of_clips(const ClipOrder& order);

}  // namespace sgf
