// Frames of a video at given times, read once and in order; memory holds only those that are shown. Torch-free.
#pragma once

#include "sgf/media/frame_source.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Each pixel is the mean of the area that it covers. So a frame shrinks without shimmer, and integer factors enlarge it
// pixel by pixel.
RgbImage resize_by_area(const RgbImage& image, int64_t height, int64_t width);

struct StripRow {
  std::string name;
  int64_t width = 0, height = 0;                  // of its frames
  std::vector<std::optional<RgbImage>> pictures;  // one per time; nullopt after the video's end
  double seconds = 0;                             // read so far; the length of the whole video if a frame is missing
};

struct StripSource {
  std::filesystem::path video;  // a file, or a folder of PNG files
  std::string name;
  double folder_fps = 16;  // for a folder, which has no frame rate
};

// `times` in seconds, in ascending order. A time shows the frame that is on the screen then; the very end shows the
// last frame.
StripRow read_strip_row(const StripSource& source, const std::vector<double>& times, int64_t height);

// The time of a video's last frame. Reads the whole video if the file does not say how many frames it has.
double time_of_last_picture(const StripSource& source);

}  // namespace sgf
