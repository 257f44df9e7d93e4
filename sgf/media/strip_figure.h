// The usual figure in papers on long videos: one row per method, one column per time. Torch-free.
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

// Frames of a video at given times, read once and in order; memory holds only those that are shown.
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

struct StripFigure {
  std::vector<double> times;  // seconds, ascending; each row has a frame or a gap per time
  std::vector<StripRow> rows;
};

// From zero to the end of the longest video, evenly spaced.
std::vector<double> even_times(const std::vector<StripSource>& sources, int64_t columns);

// "0 s", "2.5 s", "90 s"
std::string time_label(double seconds);

// Times above, names to the left of their rows. A video that has ended shows a grey field with its end time.
RgbImage draw_strips(const StripFigure& figure);

}  // namespace sgf
