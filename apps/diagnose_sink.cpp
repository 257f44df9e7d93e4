// `sgf diagnose sink CONFIG`: what the sink does for a long stream, at one total window.
#include "apps/commands.h"
#include "apps/diagnose.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/diagnosis/sink_ablation.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace sgf {
namespace {

struct SinkArgs {
  DiagnoseArgs common;
  std::vector<int64_t> sinks;
  int64_t frames = 0;
  int64_t streams = 8;
};

// None, a third of the window, two thirds, the config's own.
std::vector<int64_t> usual_sinks(const ContextSettings& c) {
  const int64_t window = c.sink_frames + c.fifo_frames;
  std::vector<int64_t> sinks{0, c.sink_frames, window / 3, 2 * window / 3};
  std::ranges::sort(sinks);
  sinks.erase(std::unique(sinks.begin(), sinks.end()), sinks.end());
  return sinks;
}

nlohmann::json row_json(const SinkRow& row) {
  nlohmann::json line{{"sink", row.sink},
                      {"fifo", row.fifo},
                      {"latent_mean_shift", row.drift.mean_shift},
                      {"latent_spread_ratio", row.drift.spread_ratio},
                      {"latent_motion_ratio", row.drift.motion_ratio}};
  const auto add = [&](const char* name, const std::optional<SegmentScore>& score) {
    if (!score) return;
    line[name] = {{"valid", score->valid},
                  {"identity_error", identity_error(*score)},
                  {"landmark_drift", score->landmark_drift},
                  {"background_drift", score->background_drift}};
  };
  add("first", row.first);
  add("last", row.last);
  return line;
}

void print_rows(const std::vector<SinkRow>& rows) {
  const bool is_world = rows.front().first.has_value();
  std::vector<std::string> head{"sink", "FIFO", "latent mean shift", "spread ratio", "motion ratio"};
  if (is_world) head.insert(head.end(), {"valid first", "last", "identity error first", "last", "landmark drift last"});
  Table table(head);
  for (const SinkRow& row : rows) {
    std::vector<std::string> cells{
        fmt::format("{}", row.sink), fmt::format("{}", row.fifo), fmt::format("{:.3f}", row.drift.mean_shift),
        fmt::format("{:.3f}", row.drift.spread_ratio), fmt::format("{:.3f}", row.drift.motion_ratio)};
    if (is_world)
      for (const double number : {row.first->valid, row.last->valid, identity_error(*row.first),
                                  identity_error(*row.last), row.last->landmark_drift})
        cells.push_back(fmt::format("{:.3f}", number));
    table.add(cells);
  }
  table.print();
}

void run_sink(const SinkArgs& args) {
  SinkAblation ablation{.config = diagnosed_stream(args.common), .weights = args.common.weights};
  const ContextSettings& c = ablation.config.context;
  ablation.device = diagnosed_device(args.common, ablation.config);
  ablation.sinks = args.sinks.empty() ? usual_sinks(c) : args.sinks;
  ablation.frames = args.frames > 0 ? args.frames : 12 * ablation.config.video.frames;
  ablation.streams = args.streams;
  const auto rows = run_sink_ablation(
      ablation, show_progress(static_cast<int64_t>(ablation.sinks.size()) * ablation.streams, "stream"));
  if (args.common.json) {
    for (const SinkRow& row : rows) say_json(row_json(row));
    return;
  }
  say("{} streams of {} latent frames, window {}, blocks of {}; all rows share prompts and noise{}", ablation.streams,
      ablation.frames, c.sink_frames + c.fifo_frames, c.block_frames,
      args.common.weights.empty() ? "; RANDOM WEIGHTS" : "");
  say("");
  print_rows(rows);
}

}  // namespace

void add_diagnose_sink(CLI::App& diagnose) {
  auto args = std::make_shared<SinkArgs>();
  CLI::App* command =
      diagnose.add_subcommand("sink", "Measure long streams under different splits of one window into sink and FIFO");
  command->footer(
      "Examples:\n"
      "  sgf diagnose sink world-small --weights models/world-small/sgf\n"
      "  sgf diagnose sink world-small --weights runs/my-run --sinks 0,3,6\n\n"
      "Latent columns compare the last window of latent frames with the first: the shift of channel means, and the "
      "ratios of standard deviation and of motion. They are proxies of drift. Videos of a world are also scored as by "
      "sgf world measure.");
  add_diagnose_args(*command, args->common);
  command
      ->add_option("--sinks", args->sinks,
                   "sink sizes in latent frames, separated by commas (default: 0, that of the config, and one and two "
                   "thirds of the window)")
      ->type_name("N,N...")
      ->delimiter(',')
      ->check(number_from_zero());
  command->add_option("--frames", args->frames, "latent frames per stream (default: 12 times video.frames)")
      ->check(positive_number());
  command->add_option("--streams", args->streams, "streams, each with its own prompt and noise")
      ->capture_default_str()
      ->check(positive_number());
  command->callback([args] { run_sink(*args); });
}

}  // namespace sgf
