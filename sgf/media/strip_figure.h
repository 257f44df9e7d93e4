// The figure of papers on long videos: a row a method, a column a time. Torch-free.
#pragma once

#include "sgf/media/strip_frames.h"

#include <string>
#include <vector>

namespace sgf {

struct StripFigure {
  std::vector<double> times;  // seconds, ascending; each row has a picture or a gap a time
  std::vector<StripRow> rows;
};

// From zero to the end of the longest, evenly.
std::vector<double> even_times(const std::vector<StripSource>& sources, int64_t columns);

// "0 s", "2.5 s", "90 s"
std::string time_label(double seconds);

// Times above, names to the left of their rows; a video that has ended leaves a grey field that says when.
RgbImage draw_strips(const StripFigure& figure);

}  // namespace sgf
