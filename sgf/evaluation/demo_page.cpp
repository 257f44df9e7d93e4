#include "sgf/evaluation/demo_page.h"

#include "sgf/training/svg_curve.h"

#include <fmt/format.h>

namespace sgf {
namespace {

std::string two(double value) { return fmt::format("{:.2f}", value); }

std::string arm_curve(const DemoArm& arm, const std::string& metric) {
  std::vector<CurvePoint> points;
  for (const MetricsRow& row : arm.rows)
    if (const double* value = row.find(metric)) points.push_back({row.step, *value});
  return draw_curve(fmt::format("{}: {}", arm.name, metric), points);
}

std::string all_curves(const std::vector<DemoArm>& arms) {
  std::string html;
  for (const char* metric : {"generator_loss", "critic_loss", "generator_grad_norm", "recovery_relative_l2"})
    for (const DemoArm& arm : arms) html += arm_curve(arm, metric) + '\n';
  return fmt::format("<div class=\"curves\">\n{}</div>\n", html);
}

std::string gap_table(const BoundaryGap& gap) {
  return html_table({"at the shared start", "Self Forcing", "Self Gradient Forcing"},
                    {{"generator loss", fmt::format("{:.6f}", gap.loss_frozen), fmt::format("{:.6f}", gap.loss_open)},
                     {"gradient norm", fmt::format("{:.4f}", gap.norm_frozen), fmt::format("{:.4f}", gap.norm_open)},
                     {"part through the context", "0", fmt::format("{:.4f}", gap.context_norm)},
                     {"its cosine with the rest", "", fmt::format("{:+.3f}", gap.cosine)}});
}

}  // namespace

std::vector<std::string> demo_table_head() {
  return {"",
          "valid, first",
          "valid, last",
          "identity error, first",
          "identity error, last",
          "background drift, last",
          "motion, last"};
}

std::vector<std::vector<std::string>> demo_table(const DemoResult& result) {
  std::vector<std::vector<std::string>> table;
  for (const DemoRow& row : result.rows)
    table.push_back({row.name, two(row.first.valid), two(row.last.valid), two(identity_error(row.first)),
                     two(identity_error(row.last)), two(row.last.background_drift), two(row.last.motion_energy)});
  return table;
}

std::string write_demo_page(const DemoResult& result, const std::vector<DemoArm>& arms,
                            const std::vector<ReportStrip>& strips, int64_t rollout_frames) {
  const std::string words = fmt::format(
      "<p>Two short training runs from the same weights, on the same prompts and noise; they differ in one detach: "
      "Self Forcing reads the context's keys and values as data, Self Gradient Forcing lets the loss of later blocks "
      "flow through them. Each then writes {} frames of prompts that it was not trained on. "
      "So few updates of so small a network show that the machinery works; they say nothing about which method is "
      "better.</p>\n",
      rollout_frames);
  return html_page(
      "Self Gradient Forcing, a tour",
      words + "<h2>One rollout, two gradients</h2>\n" + gap_table(result.gap) +
          fmt::format("<p>Pass 2 repeats Pass 1 to {:.1e} (relative L2).</p>\n", result.gap.recovery_relative_l2) +
          "<h2>Long rollouts, measured</h2>\n" + html_table(demo_table_head(), demo_table(result)) +
          "<p class=\"soft\">First: the first 21 frames; last: the last 21. Valid: share of frames that "
          "show what the caption says. Identity error: 0 the object of the first frames, 1 another or "
          "none.</p>\n<h2>Strips</h2>\n" +
          html_strips(strips) + "<h2>Training, live</h2>\n" + all_curves(arms));
}

}  // namespace sgf
