// The axes of charts: value-to-pixel scaling, round ticks with labels, and the titled SVG element.
#pragma once

#include <string>
#include <vector>

namespace sgf {

// The area of the axes, in SVG units; the page scales the image.
struct ChartArea {
  double left = 0, right = 0, top = 0, bottom = 0;
  double margin = 0;  // free space to the left of the first x and to the right of the last
};

// Values to pixels.
struct ChartAxes {
  ChartArea area;
  double first = 0, last = 1;  // along x; a single x is centred
  double low = 0, high = 1;    // along y: of the value, or of its decimal logarithm
  bool is_log = false;

  double x(double at) const;
  double y(double value) const;
};

// A grid line and a label for each tick of the values.
std::string draw_value_ticks(const ChartAxes& axes);

// A label of the x axis, below the area.
std::string draw_x_label(const ChartAxes& axes, double at, const std::string& label);

// The SVG element around a chart, with its title at the top left.
std::string draw_chart(double width, double height, const std::string& title, const std::string& body);

// Round numbers that divide [low, high] into about four parts.
std::vector<double> axis_ticks(double low, double high);

}  // namespace sgf
