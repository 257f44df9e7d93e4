// The usual figure in papers on long videos: one row per method, one column per time. Torch-free.
#pragma once

#include "sgf/media/strip_frames.h"

#include <string>
#include <vector>

namespace sgf {

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
