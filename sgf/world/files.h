// Video files held against their captions: what `sgf world measure` does.
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
  SegmentScore truth;  // true clips with this caption: what the measures themselves make of the best there can be
};

// All captions are read and all files opened before the first is measured. Segments are equally long.
std::vector<MeasuredVideo> measure_files(const std::vector<CaptionedVideo>& videos, const WorldPreset& preset,
                                         int64_t segments, const std::function<void(int64_t)>& done);

// The mean over videos, segment by segment; its name is empty.
MeasuredVideo mean_video(const std::vector<MeasuredVideo>& videos);

// Errors that have no value, as those of an object that is nowhere, are null.
nlohmann::json to_json(const SegmentScore& score);
nlohmann::json to_json(const MeasuredVideo& video);

}  // namespace sgf
