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

// A look of its own for each mark beside its colour: not everyone tells green from red.
struct MarkLook {
  const char* colour;
  double height;
};
constexpr std::array<MarkLook, 3> kLooks{MarkLook{"var(--good)", 12}, MarkLook{"var(--watch)", 7},
                                         MarkLook{"var(--bad)", 3}};

std::string draw_strip(const std::vector<FrameMark>& frames, int64_t train_frames) {
  std::string svg;
  for (auto begin = frames.begin(); begin != frames.end();) {
    const auto end = std::find_if(begin, frames.end(), [&](FrameMark mark) { return mark != *begin; });
    const MarkLook& look = kLooks.at(static_cast<size_t>(*begin));
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" style=\"fill:{}\"/>", begin - frames.begin(),
                       kHeight - look.height, end - begin, look.height, look.colour);
    begin = end;
  }
  return fmt::format(
      "<svg class=\"track\" viewBox=\"0 0 {0} {1}\" preserveAspectRatio=\"none\" "
      "style=\"height:{1}px;border:0;border-radius:0;display:block\">{2}"
      "<path d=\"M{3} 0V{1}\" style=\"stroke:var(--ink);stroke-width:2;vector-effect:non-scaling-stroke\"/></svg>",
      frames.size(), kHeight, svg, train_frames);
}

std::string name_cell(const DemoTimeline& timeline, size_t row) {
  return fmt::format("<b style=\"color:{}\">{}</b>", timeline.colours.at(row), escape_html(timeline.rows[row].name));
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
  return fmt::format(
      "<div style=\"display:grid;grid-template-columns:max-content 1fr;gap:3px 8px;align-items:center;"
      "font-size:13px;margin:6px 0\">\n{}</div>\n<div class=\"soft\">{}</div>\n",
      strips, moments);
}

// Half a second earlier, so that the object is seen before it is gone.
std::string seek_script() {
  return R"(<script>
function seek(element, seconds) {
  const video = element.closest('figure').querySelector('video');
  if (video) { video.currentTime = Math.max(0, seconds - 0.5); video.play(); }
}
for (const button of document.querySelectorAll('[data-seek]'))
  button.onclick = () => seek(button, Number(button.dataset.seek));
for (const track of document.querySelectorAll('svg.track'))
  track.onclick = event => {
    const box = track.getBoundingClientRect(), video = track.closest('figure').querySelector('video');
    if (video) seek(track, 0.5 + video.duration * (event.clientX - box.left) / box.width);
  };
</script>
)";
}

}  // namespace sgf
