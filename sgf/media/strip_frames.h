// Pictures of a video at given times, read once and in order: memory holds those that are shown. Torch-free.
#pragma once

#include "sgf/media/frame_source.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Each pixel is the mean of the area that it covers, so that a picture shrinks without shimmer, and grows by whole
// numbers pixel for pixel.
RgbImage resize_by_area(const RgbImage& image, int64_t height, int64_t width);

struct StripRow {
  std::string name;
  int64_t width = 0, height = 0;                  // of its pictures
  std::vector<std::optional<RgbImage>> pictures;  // one a time; none after the video's end
  double seconds = 0;                             // read: the whole video where a picture is missing
};

struct StripSource {
  std::filesystem::path video;  // a file, or a folder of PNG files
  std::string name;
  double folder_fps = 16;  // of a folder, which does not say
};

// `times` in seconds, in ascending order. A time shows the picture that is on the screen then; the very end shows the
// last.
StripRow read_strip_row(const StripSource& source, const std::vector<double>& times, int64_t height);

// When the last picture of a video comes. Reads it through where the file does not say how many it holds.
double time_of_last_picture(const StripSource& source);

}  // namespace sgf
