#include "lab/demo/demo_page.h"

#include "lab/demo/demo_diagram.h"
#include "sgf/report/html_page.h"
#include "sgf/report/html_text.h"
#include "sgf/report/svg_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace sgf {

namespace assets {
extern const std::string_view demo_page_html, demo_css, seek_js;
}

namespace {

constexpr size_t kPlayedPrompts = 4;  // the others are behind a fold

std::string gap_table(const BoundaryGap& gap) {
  return html_table({"the student, before any training", "SF", "SGF"},
                    {{"loss", fmt::format("{:.6f}", gap.loss_frozen), fmt::format("{:.6f}", gap.loss_open)},
                     {"gradient norm", fmt::format("{:.4f}", gap.norm_frozen), fmt::format("{:.4f}", gap.norm_open)},
                     {"the part through the cache", "0", fmt::format("{:.4f}", gap.context_norm)},
                     {"cosine of that part and the rest", "", fmt::format("{:+.3f}", gap.cosine)}});
}

// Names above the columns of a video, in the colours of the curves.
std::string column_names(const std::vector<DemoContestant>& contestants) {
  std::string html;
  for (size_t i = 0; i < contestants.size(); ++i)
    html += fmt::format("<b class=\"contestant-{}\">{}</b>", i, escape_html(contestants[i].name));
  return fmt::format("<div class=\"columns\">{}</div>\n", html);
}

std::string timeline_of(const DemoVideo& video, const DemoContents& c) {
  if (video.marks.empty()) return "";
  const DemoTimeline timeline{.rows = video.marks, .train_frames = c.train_frames, .fps = c.fps};
  return draw_timeline(timeline, !video.mp4.empty());
}

std::string video_figure(const DemoVideo& video, const DemoContents& c) {
  if (video.mp4.empty()) return html_strips({{video.prompt, video.png}}) + timeline_of(video, c);
  return fmt::format(
      "<figure class=\"player\"><figcaption>{}</figcaption>\n{}<video autoplay loop muted playsinline "
      "controls src=\"data:video/mp4;base64,{}\"></video>\n{}</figure>\n",
      escape_html(video.prompt), column_names(c.contestants), encode_base64(video.mp4), timeline_of(video, c));
}

std::string video_figures(std::span<const DemoVideo> videos, const DemoContents& c) {
  std::string html;
  for (const DemoVideo& video : videos) html += video_figure(video, c);
  return html;
}

// The result beside what it is worth.
std::string write_headline(const DemoContents& c) {
  const DemoHeadline headline = headline_of(c.contestants[kSfPlace], c.contestants[kSgfPlace]);
  return fmt::format("<p class=\"headline\">{}</p>\n<p><b>{}</b></p>\n", escape_html(headline.result),
                     escape_html(headline.meaning));
}

constexpr const char* kStripWords =
    "<p>The strips below show every frame: <b class=\"level good\">high</b>, it shows what the prompt says; "
    "<b class=\"level watch\">middle</b>, the objects are there but something else is wrong; "
    "<b class=\"level bad\">low</b>, an object is lost. The line marks the end of one training length.";

std::string how_to_look(const DemoContents& c) {
  if (c.videos.front().mp4.empty())
    return fmt::format(
        "<p>Each row shows moments of one video, from the first frame on the left: {}, {}, {}, {}. This build writes "
        "no H.264 videos, so they cannot play here: install libavcodec-dev libavformat-dev libswscale-dev "
        "libavutil-dev pkg-config, build, and run the demo again.</p>\n{}</p>\n",
        c.contestants[0].name, c.contestants[1].name, c.contestants[2].name, c.contestants[3].name, kStripWords);
  return fmt::format(
      "<p>Watch whether objects keep their surface, colour and size, and whether the small landmarks of the "
      "background stay. The bar inside the video is time; its bright beginning is one training length.</p>\n{} Click a "
      "strip or a button to see that moment.</p>\n",
      kStripWords);
}

std::string folded_videos(const DemoContents& c) {
  const std::span<const DemoVideo> all(c.videos);
  const size_t played = std::min(all.size(), kPlayedPrompts);
  std::string html = video_figures(all.first(played), c);
  if (played < all.size())
    html += fmt::format("<details><summary>{} more prompts</summary>\n{}</details>\n", all.size() - played,
                        video_figures(all.subspan(played), c));
  return html;
}

std::string wide_table(const DemoTable& table) {
  return fmt::format("<div class=\"wide\">{}</div>\n", html_table(table.head, table.rows));
}

std::string live_chart(const std::vector<DemoArm>& arms, const char* title, const char* metric) {
  std::vector<NamedCurve> curves;
  for (size_t i = 0; i < arms.size(); ++i) {
    NamedCurve& curve = curves.emplace_back(NamedCurve{arms[i].name, colour_of(kSfPlace + i, kContestants), {}});
    for (const MetricsRow& row : arms[i].rows)
      if (const double* value = row.find(metric)) curve.points.push_back({row.step, *value});
  }
  const bool is_empty = std::ranges::all_of(curves, [](const NamedCurve& curve) { return curve.points.empty(); });
  return is_empty ? "" : draw_curves(title, curves) + '\n';
}

std::string live_charts(const std::vector<DemoArm>& arms) {
  return live_chart(arms, "generator loss", "generator_loss") +
         live_chart(arms, "generator gradient norm", "generator_grad_norm") +
         live_chart(arms, "critic loss", "critic_loss") +
         live_chart(arms, "recovery: Pass 2 from Pass 1", "recovery_relative_l2");
}

std::string command_list(const std::vector<DemoCommand>& commands) {
  std::string html;
  for (const DemoCommand& command : commands)
    html += fmt::format("<div>{}</div>\n<pre><code>{}</code></pre>\n", escape_html(command.words),
                        escape_html(command.line));
  return html;
}

// Contestants have the colours of their curves.
std::string style_of_contestants() {
  return fill_page(assets::demo_css, {{"colour_0", colour_of(0, kContestants)},
                                      {"colour_1", colour_of(1, kContestants)},
                                      {"colour_2", colour_of(2, kContestants)},
                                      {"colour_3", colour_of(3, kContestants)}});
}

}  // namespace

std::string write_demo_page(const DemoContents& c) {
  const std::string sf = colour_of(kSfPlace, kContestants), sgf = colour_of(kSgfPlace, kContestants);
  return html_page(
      kDemoTitle,
      fill_page(assets::demo_page_html,
                {{"headline", write_headline(c)},
                 {"recovery", fmt::format("{:.1e}", c.gap.recovery_relative_l2)},
                 {"two_passes", draw_two_passes(sf, sgf)},
                 {"train_frames", std::to_string(c.train_frames)},
                 {"frames", std::to_string(c.frames)},
                 {"lengths", std::to_string(c.frames / c.train_frames)},
                 {"how_to_look", how_to_look(c)},
                 {"videos", folded_videos(c)},
                 {"prompts", std::to_string(c.videos.size())},
                 {"score_table", wide_table(score_table_of(c.contestants))},
                 {"difference_table", wide_table(difference_table(c.contestants[kSfPlace], c.contestants[kSgfPlace]))},
                 {"score_charts", score_charts(c.contestants)},
                 {"gap_table", gap_table(c.gap)},
                 {"steps", std::to_string(c.steps)},
                 {"batch", std::to_string(c.batch)},
                 {"generator_updates", std::to_string(c.generator_updates)},
                 {"live_charts", live_charts(c.arms)},
                 {"commands", command_list(c.commands)}}),
      {.style = style_of_contestants(), .script = assets::seek_js});
}

std::string write_unfinished_page() {
  return html_page(kDemoTitle, "<p>The demo is running, or was stopped before its end. Reload this page later.</p>\n");
}

}  // namespace sgf
