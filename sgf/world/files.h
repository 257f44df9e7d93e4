// Measures video files against their captions: what `sgf world measure` does.
#pragma once

#include "sgf/world/measure.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct CaptionedVideo {
  std::filesystem::path file;  // a video file or a folder of PNG files
  std::string caption;
};

struct MeasuredVideo {
  std::filesystem::path file;
  std::string caption;
  WorldScore score;
  SegmentScore truth;  // scores of true clips with this caption: the best possible values
};

// Reads all captions and opens all files before the first is measured. Segments have equal length. The scores do not
// depend on `threads`, each of which measures whole videos.
std::vector<MeasuredVideo> measure_files(const std::vector<CaptionedVideo>& videos, const WorldPreset& preset,
                                         int64_t segments, const std::function<void(int64_t)>& done,
                                         int64_t threads = 1);

// The mean over videos, per segment; its name is empty.
MeasuredVideo mean_video(const std::vector<MeasuredVideo>& videos);

// Missing errors, such as those of an object that is absent, become null.
nlohmann::json to_json(const SegmentScore& score);
nlohmann::json to_json(const MeasuredVideo& video);

}  // namespace sgf
