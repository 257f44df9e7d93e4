#include "lab/demo/demo_page.h"

#include "lab/demo/demo_diagram.h"
#include "sgf/report/html_page.h"
#include "sgf/report/html_text.h"
#include "sgf/report/svg_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace sgf {
namespace {

constexpr size_t kPlayedPrompts = 4;  // the others are behind a fold
constexpr size_t kSf = 1, kSgf = 2, kContestants = 4;

std::string section_head(const char* title) { return fmt::format("<h2>{}</h2>\n", title); }

std::string method_section(const BoundaryGap& gap) {
  return fmt::format(
             "<p>A causal video model writes a video block by block, and reads what it wrote from a memory: the keys "
             "and values (K/V) of earlier blocks. In a video much longer than those of training all it knows of the "
             "beginning is what it put there itself. Two ways to train it on its own videos differ in one detach:</p>\n"
             "<ul><li><b>Pass 1</b> rolls a video out as at run time, block after block, without gradients.</li>\n"
             "<li><b>Pass 2</b> repeats one denoising step of every block, all at once: it writes the memory of Pass 1 "
             "again and "
             "reads it, now with gradients. What it predicts is the same (to {:.1e} here), and so is the loss.</li>\n"
             "<li><b style=\"color:{}\">Self Forcing (SF)</b> detaches the memory: each block learns to draw well from "
             "what it is given. <b style=\"color:{}\">Self Gradient Forcing (SGF)</b> does not: a loss also reaches "
             "the weights that wrote what it read, and the model learns to write a memory that later blocks can "
             "use.</li></ul>\n",
             gap.recovery_relative_l2, colour_of(kSf, kContestants), colour_of(kSgf, kContestants)) +
         draw_two_passes(colour_of(kSf, kContestants), colour_of(kSgf, kContestants));
}

std::string gap_section(const BoundaryGap& gap) {
  return section_head("One rollout, two gradients") +
         html_table({"the student, before any training", "SF", "SGF"},
                    {{"loss", fmt::format("{:.6f}", gap.loss_frozen), fmt::format("{:.6f}", gap.loss_open)},
                     {"gradient norm", fmt::format("{:.4f}", gap.norm_frozen), fmt::format("{:.4f}", gap.norm_open)},
                     {"part of it that came through the memory", "0", fmt::format("{:.4f}", gap.context_norm)},
                     {"cosine of that part and the rest", "", fmt::format("{:+.3f}", gap.cosine)}}) +
         "<p class=\"soft\">The same videos and the same loss; only what the loss can reach is different.</p>\n";
}

// Names above the columns of a video, in the colours of the curves.
std::string column_names(const std::vector<DemoContestant>& contestants) {
  std::string html;
  for (size_t i = 0; i < contestants.size(); ++i)
    html +=
        fmt::format("<b style=\"color:{}\">{}</b>", colour_of(i, contestants.size()), escape_html(contestants[i].name));
  return fmt::format("<div style=\"display:grid;grid-template-columns:repeat({},1fr);text-align:center\">{}</div>\n",
                     contestants.size(), html);
}

std::string video_figure(const DemoVideo& video, const std::vector<DemoContestant>& contestants) {
  if (video.mp4.empty()) return html_strips({{video.prompt, video.png}});
  return fmt::format(
      "<figure style=\"max-width:800px\"><figcaption>{}</figcaption>\n{}<video autoplay loop muted playsinline "
      "controls "
      "src=\"data:video/mp4;base64,{}\"></video></figure>\n",
      escape_html(video.prompt), column_names(contestants), encode_base64(video.mp4));
}

std::string video_figures(std::span<const DemoVideo> videos, const std::vector<DemoContestant>& contestants) {
  std::string html;
  for (const DemoVideo& video : videos) html += video_figure(video, contestants);
  return html;
}

std::string how_to_look(const DemoContents& c) {
  if (c.videos.front().mp4.empty())
    return fmt::format(
        "<p>Moments of each video, the first on the left; rows from above: {}, {}, {}, {}. This build writes no H.264 "
        "videos, so they cannot play here: install libavcodec-dev libavformat-dev libswscale-dev libavutil-dev "
        "pkg-config, build and run the demo again.</p>\n",
        c.contestants[0].name, c.contestants[1].name, c.contestants[2].name, c.contestants[3].name);
  return "<p>The bar below is time; its bright beginning is one training length. Watch whether objects keep their "
         "surface, colour and size, and whether the small landmarks of the background stay.</p>\n";
}

std::string video_section(const DemoContents& c) {
  const std::span<const DemoVideo> all(c.videos);
  const size_t played = std::min(all.size(), kPlayedPrompts);
  std::string html =
      section_head("Long videos") +
      fmt::format(
          "<p>The students that come along were trained on {} frames; here they stream {}, {} times as many. All get "
          "the same prompts, drawn with a seed of their own, and the same noise. <b>student</b>: few-step, what the "
          "other "
          "two start from. <b>SF</b> and <b>SGF</b>: the same student after a matched pair of trainings. <b>truth</b>: "
          "a "
          "clip of the world with the same caption.</p>\n",
          c.train_frames, c.frames, c.frames / c.train_frames) +
      how_to_look(c) + video_figures(all.first(played), c.contestants);
  if (played < all.size())
    html += fmt::format("<details><summary>{} more prompts</summary>\n{}</details>\n", all.size() - played,
                        video_figures(all.subspan(played), c.contestants));
  return html;
}

std::string wide_table(const DemoTable& table) {
  return fmt::format("<div style=\"overflow-x:auto\">{}</div>\n", html_table(table.head, table.rows));
}

std::string score_section(const DemoContents& c) {
  return section_head("Measured") + wide_table(score_table_of(c.contestants)) +
         fmt::format(
             "<p class=\"soft\">Means over {} prompts, in the first {} frames (1x) and the last ({}x). Valid: share of "
             "frames that show what the caption says. Identity error: 0 the object of the first frames, 1 another or "
             "none. Landmark drift: 0 the background's marks are where they were, 1 they are not. Motion: path length "
             "against the captioned speed; a video that stands still would drift nowhere.</p>\n",
             c.videos.size(), c.train_frames, c.frames / c.train_frames) +
         wide_table(difference_table(c.contestants[kSf], c.contestants[kSgf])) +
         fmt::format(
             "<p class=\"soft\">{} prompts are few: an interval that holds 0 says nothing, and one that does not may "
             "be "
             "luck. docs/study.md has the study, with several pairs, many prompts and longer videos.</p>\n",
             c.videos.size()) +
         score_charts(c.contestants) + "<p class=\"soft\">Means over the prompts, by training length.</p>\n";
}

std::string live_chart(const std::vector<DemoArm>& arms, const char* title, const char* metric) {
  std::vector<NamedCurve> curves;
  for (size_t i = 0; i < arms.size(); ++i) {
    NamedCurve& curve = curves.emplace_back(NamedCurve{arms[i].name, colour_of(kSf + i, kContestants), {}});
    for (const MetricsRow& row : arms[i].rows)
      if (const double* value = row.find(metric)) curve.points.push_back({row.step, *value});
  }
  const bool is_empty = std::ranges::all_of(curves, [](const NamedCurve& curve) { return curve.points.empty(); });
  return is_empty ? "" : draw_curves(title, curves) + '\n';
}

std::string live_section(const DemoContents& c) {
  return section_head("Trained just now") +
         fmt::format(
             "<p>Both from the student that came along, on the same prompts, noise and exit steps: {} steps at batch "
             "{}, of "
             "which {} update the generator. So few updates show that the machinery works, not which method is better; "
             "the SF and SGF of the videos above had more of them, and larger batches. The losses begin together; the "
             "gradient norms differ from the first update on, by what came through the memory. A loss of distribution "
             "matching need not fall.</p>\n",
             c.steps, c.batch, c.generator_updates) +
         "<div class=\"curves\">\n" + live_chart(c.arms, "generator loss", "generator_loss") +
         live_chart(c.arms, "generator gradient norm", "generator_grad_norm") +
         live_chart(c.arms, "critic loss", "critic_loss") +
         live_chart(c.arms, "recovery: Pass 2 from Pass 1", "recovery_relative_l2") + "</div>\n";
}

std::string command_section(const std::vector<DemoCommand>& commands) {
  std::string html = section_head("Next");
  for (const DemoCommand& command : commands)
    html += fmt::format("<div>{}</div>\n<pre><code>{}</code></pre>\n", escape_html(command.words),
                        escape_html(command.line));
  return html;
}

}  // namespace

std::string write_demo_page(const DemoContents& contents) {
  return html_page(kDemoTitle, method_section(contents.gap) + video_section(contents) + score_section(contents) +
                                   gap_section(contents.gap) + live_section(contents) +
                                   command_section(contents.commands));
}

std::string write_unfinished_page() {
  return html_page(kDemoTitle,
                   "<p>The demo is running, or was stopped before its end. Load this page again later.</p>\n");
}

}  // namespace sgf
