#include "lab/demo/demo_timeline.h"

#include "sgf/report/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sgf {
namespace {

constexpr double kLostSeconds = 0.5;
constexpr double kHeight = 12;

// Each mark also has a height of its own: not everyone can tell green from red.
struct MarkLook {
  const char* level;  // a class of the page, with a colour
  double height;
};
constexpr std::array<MarkLook, 3> kLooks{MarkLook{"good", 12}, MarkLook{"watch", 7}, MarkLook{"bad", 3}};

std::string draw_strip(const std::vector<FrameMark>& frames, int64_t train_frames) {
  std::string svg;
  for (auto begin = frames.begin(); begin != frames.end();) {
    const auto end = std::find_if(begin, frames.end(), [&](FrameMark mark) { return mark != *begin; });
    const MarkLook& look = kLooks.at(static_cast<size_t>(*begin));
    svg += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", look.level,
                       begin - frames.begin(), kHeight - look.height, end - begin, look.height);
    begin = end;
  }
  return fmt::format(
      "<svg class=\"track\" viewBox=\"0 0 {0} {1}\" height=\"{1}\" preserveAspectRatio=\"none\">{2}"
      "<path d=\"M{3} 0V{1}\"/></svg>",
      frames.size(), kHeight, svg, train_frames);
}

std::string name_cell(const DemoTimeline& timeline, size_t row) {
  return fmt::format("<b class=\"contestant-{}\">{}</b>", row, escape_html(timeline.rows[row].name));
}

std::string draw_moment(const std::string& name, double seconds, bool is_playable) {
  const std::string words = fmt::format("{} loses an object at {:.1f} s", escape_html(name), seconds);
  return is_playable ? fmt::format("<button type=\"button\" data-seek=\"{:.2f}\">{}</button> ", seconds, words)
                     : words + ". ";
}

}  // namespace

std::optional<int64_t> first_loss(const std::vector<FrameMark>& frames, double fps) {
  const auto least = static_cast<std::ptrdiff_t>(std::ceil(kLostSeconds * fps));
  const auto found = std::search_n(frames.begin(), frames.end(), least, FrameMark::kObjectLost);
  if (found == frames.end()) return std::nullopt;
  return found - frames.begin();
}

std::string draw_timeline(const DemoTimeline& timeline, bool is_playable) {
  std::string strips, moments;
  for (size_t i = 0; i < timeline.rows.size(); ++i) {
    const FrameMarks& row = timeline.rows[i];
    strips += name_cell(timeline, i) + draw_strip(row.frames, timeline.train_frames) + '\n';
    if (const std::optional<int64_t> frame = first_loss(row.frames, timeline.fps))
      moments += draw_moment(row.name, static_cast<double>(*frame) / timeline.fps, is_playable);
  }
  if (moments.empty()) moments = "No object is lost for half a second or longer.";
  return fmt::format("<div class=\"timeline\">\n{}</div>\n<div class=\"soft\">{}</div>\n", strips, moments);
}

}  // namespace sgf
