// `sgf eval VIDEO|FOLDER`: scores videos by VBench, VBench-Long or the built-in world's measures.
#include "apps/eval.h"
#include "apps/progress.h"

#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/stop_signal.h"
#include "sgf/evaluation/eval_run.h"
#include "sgf/evaluation/score_cache.h"
#include "sgf/files/json_file.h"
#include "sgf/files/writable_folder.h"
#include "sgf/streaming/video_prompt.h"
#include "sgf/world/caption.h"
#include "sgf/world/preset.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sgf {
namespace {

struct EvalArgs {
  std::string place;
  std::string protocol = "vbench";
  std::vector<std::string> metrics;
  std::string prompts;
  std::string static_prompts;
  std::string scores;
  std::string cache;
  std::string device = "auto";
  std::string world;
  int64_t threads = 0;
  bool no_cache = false, no_reencode = false, no_slow_fast = false, json = false, quiet = false;
  EvalOrder order;
};

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& known : enum_names(VbenchMetric{})) names.emplace_back(known.name);
  return names;
}

// A misuse is found before anything is opened.
std::vector<VbenchMetric> metrics_of(const std::vector<std::string>& names) {
  std::vector<VbenchMetric> metrics;
  for (const std::string& name : names) {
    const auto metric = enum_from_name<VbenchMetric>(name);
    if (!metric)
      throw CLI::ValidationError("--metrics",
                                 fmt::format("must be of {}, got {}", all_enum_names<VbenchMetric>(), name));
    metrics.push_back(*metric);
  }
  return metrics.empty() ? all_vbench_metrics() : metrics;
}

std::set<std::string> static_prompts_of(const std::string& file) {
  std::set<std::string> prompts;
  if (file.empty()) return prompts;
  const nlohmann::json list = read_json_file(file);
  for (const nlohmann::json& entry : list) {
    const nlohmann::json dimensions =
        entry.is_object() ? entry.value("dimension", nlohmann::json::array()) : nlohmann::json();
    if (std::ranges::find(dimensions, "temporal_flickering") == dimensions.end()) continue;
    SGF_CHECK(entry.contains("prompt_en") && entry["prompt_en"].is_string(),
              "{}: an entry of temporal_flickering has no prompt_en, got {}", file, entry.dump().substr(0, 200));
    prompts.insert(entry["prompt_en"].get<std::string>());
  }
  SGF_CHECK(!prompts.empty(), "{} names no prompt of temporal_flickering; expected a file like VBench_full_info.json",
            file);
  return prompts;
}

// Scores are computed even if they cannot be cached.
std::filesystem::path usual_cache() {
  try {
    return default_score_folder();
  } catch (const Error& error) {
    warn("{}", error.what());
    return {};
  }
}

// Prompts in the metadata of videos take precedence over their names.
void take_own_prompts(EvalOrder& order) {
  for (ListedVideo& video : order.videos) {
    const std::optional<VideoPrompt> noted = prompt_in_video(video.file);
    if (!noted) continue;
    video.prompt = noted->prompt;
    if (order.world.empty()) order.world = noted->world;
  }
}

// Only results of sgf eval are replaced.
void check_scores(const EvalArgs& args) {
  if (args.scores.empty()) return;
  check_can_be_put(args.scores);
  if (!std::filesystem::exists(args.scores) || std::filesystem::is_empty(args.scores)) return;
  const auto is_result = [&] {
    try {
      const nlohmann::json there = read_json_file(args.scores);
      return there.is_object() && there.contains("format") && there.contains("videos");
    } catch (const Error&) {
      return false;
    }
  };
  SGF_CHECK(is_result(), "{} exists and is no result of sgf eval, so it is kept; name another file with --scores",
            args.scores);
}

// By the number of objects that the first prompt names.
std::string world_of_prompts(const std::vector<ListedVideo>& videos) {
  try {
    return world_of_caption(parse_caption(videos.front().prompt.value_or(""))).name;
  } catch (const Error&) {  // no caption of the world: the videos are refused one by one
    return "world-tiny";
  }
}

EvalOrder order_of(EvalArgs& args) {
  check_scores(args);  // before hours of work, not after them
  if (args.protocol == "world" && !args.metrics.empty())
    throw CLI::ValidationError("--metrics", "selects VBench metrics; --protocol world always computes its own");
  EvalOrder order = args.order;
  order.switches.protocol = *enum_from_name<EvalProtocol>(args.protocol);
  order.switches.reencodes = !args.no_reencode;
  order.switches.slow_fast = !args.no_slow_fast;
  order.metrics = metrics_of(args.metrics);
  order.static_prompts = static_prompts_of(args.static_prompts);
  const auto book = args.prompts.empty() ? std::nullopt : std::optional(read_prompt_book(args.prompts));
  order.videos = list_videos(args.place, book);
  order.world = args.world;
  if (!book && order.switches.protocol == EvalProtocol::kWorld) take_own_prompts(order);
  if (order.world.empty() && book) order.world = book->world;
  if (order.world.empty()) order.world = world_of_prompts(order.videos);
  if (!args.no_cache) order.cache = args.cache.empty() ? usual_cache() : std::filesystem::path(args.cache);
  order.device = device_from_name(args.device);
  return order;
}

std::string shown_value(const nlohmann::json& value) {
  return value.is_number() ? fmt::format("{:.4f}", value.get<double>()) : "-";
}

// What a video's row says of a metric: its value, or that something went wrong.
std::string shown_entry(const nlohmann::json& row, const std::string& metric) {
  if (row.contains("error")) return "error";
  if (row.contains("world")) return shown_value(row["world"]["whole"].value(metric.substr(6), nlohmann::json()));
  const nlohmann::json entry = row.value("metrics", nlohmann::json::object()).value(metric, nlohmann::json());
  if (entry.is_object() && entry.contains("error")) return "error";
  return entry.is_object() ? shown_value(entry.value("value", nlohmann::json())) : "-";
}

void print_videos_of(const nlohmann::json& result) {
  std::vector<std::string> headers{"video"};
  for (const auto& [metric, total] : result["totals"].items()) headers.push_back(metric);
  Table table(headers);
  for (const nlohmann::json& row : result["videos"]) {
    std::vector<std::string> cells{
        shown_name(std::filesystem::path(row["file"].get<std::string>()).filename().string())};
    for (const auto& [metric, total] : result["totals"].items()) cells.push_back(shown_entry(row, metric));
    table.add(cells);
  }
  if (!table.is_empty() && headers.size() > 1) table.print();
}

void print_totals(const nlohmann::json& result) {
  Table table({"metric", "total", "mean over", "videos", "clips"});
  for (const auto& [metric, total] : result["totals"].items()) {
    table.add({metric, shown_value(total["value"]), total.value("mean_over", "videos"),
               total.contains("videos") ? total["videos"].dump() : std::to_string(result["videos"].size()),
               total.contains("clips") ? total["clips"].dump() : "-"});
  }
  if (table.is_empty()) return;
  say("");
  table.print();
}

// Everything that went wrong, one line per error. Most errors name their video already.
void print_errors(const nlohmann::json& result) {
  const auto say = [&](const std::string& who, const nlohmann::json& why) {
    const std::string words = why.get<std::string>();
    words.starts_with(who) ? warn("{}", words) : warn("{}: {}", who, words);
  };
  const nlohmann::json unavailable = result.value("unavailable", nlohmann::json::object());
  for (const auto& [metric, why] : unavailable.items()) say(metric, why);
  for (const nlohmann::json& row : result["videos"]) {
    const std::string file = row["file"].get<std::string>();
    if (row.contains("error")) say(file, row["error"]);
    const nlohmann::json metrics = row.value("metrics", nlohmann::json::object());
    for (const auto& [metric, entry] : metrics.items())
      if (entry.contains("error")) say(fmt::format("{}: {}", file, metric), entry["error"]);
  }
}

void print_eval_result(const nlohmann::json& result, bool as_json) {
  if (as_json) {
    say_json(result);
  } else {
    print_videos_of(result);
    print_totals(result);
  }
  print_errors(result);
}

constexpr int kEvalStopped = 3;

int run_eval(EvalArgs& args) {
  use_threads(args.threads);
  const EvalOrder order = order_of(args);
  const StopSignal stop;
  const auto total = static_cast<int64_t>(order.videos.size());
  ProgressLine line({.mode = progress_mode(args.quiet), .total_steps = total, .unit = "video"},
                    standard_progress_output());
  const EvalEvents events{
      .warn = [&](const std::string& text) { args.quiet ? warn_line(text) : line.say("sgf: " + text); },
      .go_on =
          [&](int64_t video, int64_t clip, int64_t clips) {
            line.show({.step = video, .note = fmt::format("clip {} of {}", clip + 1, clips)});
            return stop.received() == 0;
          }};
  try {
    const nlohmann::json result = evaluate(order, events);
    line.show({.step = total, .numbers = {}});
    line.finish();
    print_eval_result(result, args.json);
    if (!args.scores.empty()) write_json_file(args.scores, result);
    return result["ok"].get<bool>() ? 0 : 1;
  } catch (const EvaluationStopped& stopped) {
    line.finish();
    warn("{}; run the same command again to resume", stopped.what());
    return kEvalStopped;
  }
}

void add_switches(CLI::App& command, EvalArgs& args) {
  EvalSwitches& switches = args.order.switches;
  command.add_option("--clip-seconds", switches.clip_seconds, "clip length in seconds, for vbench-long")
      ->capture_default_str()
      ->check(positive_number());
  command.add_flag("--no-reencode", args.no_reencode, "no H.264 re-encoding of clips, for vbench-long");
  command.add_flag("--no-slow-fast", args.no_slow_fast, "consistency within clips only, for vbench-long");
  command.add_flag("--static-filter", switches.static_filter,
                   "temporal flickering on static clips only, found by RAFT");
  command.add_option("--static-clips", switches.static_clips, "static clips needed per prompt, for --static-filter")
      ->capture_default_str()
      ->check(positive_number());
  command
      .add_option("--static-prompts", args.static_prompts,
                  "VBench_full_info.json, whose prompts of temporal_flickering alone pass --static-filter")
      ->type_name("FILE");
  command.add_flag("--clip-float16", switches.clip_in_half, "CLIP in float16, as the original runs it on CUDA");
  command.add_option("--fps", switches.fps, "frames per second of videos that do not state it")
      ->capture_default_str()
      ->check(positive_number());
}

void add_labels(CLI::App& command, EvalArgs& args) {
  for (const char* name : {"init", "method", "horizon", "setting"})
    command
        .add_option_function<std::string>(
            fmt::format("--{}", name), [&args, name](const std::string& text) { args.order.labels[name] = text; },
            fmt::format("{} label of the result, for sgf eval table", name))
        ->type_name("TEXT");
}

constexpr const char* kEvalFooter =
    "Examples:\n"
    "  sgf eval videos/ --prompts videos/manifest.json --protocol world\n"
    "  sgf eval videos/ --metrics dynamic_degree,motion_smoothness --scores all.json\n\n"
    "Prompts come from --prompts, with --protocol world from the metadata of sgf generate, or from file names "
    "(PROMPT-0.mp4). Scores are cached: run the same command again to "
    "resume after an interruption. docs/evaluation.md lists what is exact and what differs from VBench.\n\n"
    "Exit codes: 0 all scores computed; 1 a video or a metric failed (the others are still scored); 3 stopped by "
    "SIGINT or SIGTERM.";

void add_scoring(CLI::App& command, EvalArgs& args) {
  command.add_option("videos", args.place, "video, folder of PNG files, or folder of videos")->type_name("PATH");
  command.add_option("--protocol", args.protocol, "set of metrics")
      ->capture_default_str()
      ->check(CLI::IsMember({"vbench", "vbench-long", "world"}));
  command.add_option("--metrics", args.metrics, "metrics of VBench, separated by commas (default: all seven)")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  suggest_words(*command.get_option("--metrics"), metric_names());
  command
      .add_option("--weights", args.order.weights,
                  "cache folder of VBench with the weights (default: $VBENCH_CACHE_DIR, else ~/.cache/vbench)")
      ->type_name("DIR");
  command.add_option("--prompts", args.prompts, "JSON file with the prompts of the videos, or a manifest.json")
      ->type_name("FILE");
  command
      .add_option("--scores", args.scores,
                  "JSON file to write the result to, for sgf eval table; an existing file is replaced")
      ->type_name("FILE");
  command.add_option("--cache", args.cache, "folder of cached scores (default: ~/.cache/sgf/scores)")->type_name("DIR");
  command.add_flag("--no-cache", args.no_cache, "no reading and writing of cached scores");
  command
      .add_option("--world", args.world,
                  "built-in world of the videos, for --protocol world (default: that of the manifest or of the "
                  "video's metadata, else by the number of objects in the prompt)")
      ->check(CLI::IsMember(world_preset_names()));
  command.add_flag("--json", args.json, "result as one JSON object");
  command.add_flag("--quiet", args.quiet, "no progress line");
  add_device(command, args.device);
  add_threads(command, args.threads, kAllCores);
  name_group(command, "Scoring");
}

}  // namespace

void add_eval(CLI::App& app) {
  auto args = std::make_shared<EvalArgs>();
  CLI::App* command = app.add_subcommand("eval", "Score videos by VBench, VBench-Long or the built-in world");
  add_scoring(*command, *args);
  add_switches(*command, *args);
  name_group(*command, "Details of the metrics");
  add_labels(*command, *args);
  name_group(*command, "Labels for sgf eval table");
  add_eval_table(*command);
  add_eval_export(*command);
  add_eval_import(*command);
  command->footer(kEvalFooter);
  command->callback([args, command] {
    if (!command->get_subcommands().empty()) return;
    if (args->place.empty()) misused("no videos given; pass a video or a folder of videos");
    exit_with(run_eval(*args));
  });
}

}  // namespace sgf
