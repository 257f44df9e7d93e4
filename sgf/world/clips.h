// Clips of the world as files, and the list that says what each of them shows.
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
  kMp4,  // clip_00000.mp4: small, and its pixels are no longer exact
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
  std::optional<WorldCaption> caption;  // of all clips; without it each draws its own

  WorldScene scene(int64_t clip) const;
};

struct ClipFiles {
  std::filesystem::path folder;  // made if need be; must be empty
  ClipFormat format = ClipFormat::kMp4;
  double fps = 16;
  int64_t crf = 12;     // of mp4
  int64_t enlarge = 4;  // of mp4: each pixel becomes so many times as many, which 4:2:0 can keep; a power of two
};

struct ClipEncoder {
  std::string name;  // empty: no mp4 files were written
  bool is_h264 = true;
};

// Renders all clips, then writes `captions.txt`, a caption a line, and `manifest.json`, which names the files too and
// comes last: a folder that has it is whole. `done` hears of every clip. What FFmpeg encoded mp4 files with comes back.
ClipEncoder render_clips(const ClipOrder& order, const ClipFiles& files, const std::function<void(int64_t)>& done);

// A row for each of the first eight clips, eight moments of each.
RgbImage strip_of_clips(const ClipOrder& order);

}  // namespace sgf
