// `sgf demo`: a tour in minutes on any CPU.
#include "lab/demo/demo.h"
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "sgf/assembly/preset_folders.h"
#include "sgf/config/config.h"
#include "sgf/config/network_work.h"
#include "sgf/core/error.h"
#include "sgf/media/video_writer.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgf {
namespace {

struct DemoArgs {
  std::string models;
  std::string out = "demo";
  std::vector<std::string> overrides;
  ComputeArgs compute;
  int64_t frames = 252;
  int64_t prompts = 12;
};

std::filesystem::path find_models() {
  const std::optional<std::filesystem::path> models = find_beside_presets("models/world-small");
  SGF_CHECK(models.has_value(),
            "the bundled models are not beside the presets; name the folder models/world-small with --models");
  return *models;
}

// Lines with the time since the start before them: a demo takes minutes.
std::function<void(const std::string&)> timed_lines() {
  const auto start = std::chrono::steady_clock::now();
  return [start](const std::string& line) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    say("{:4.0f} s  {}", spent.count(), line);
    std::fflush(stdout);
  };
}

void print_result(const DemoResult& result) {
  const DemoTable scores = score_table_of(result.contents.contestants);
  Table table(scores.head);
  for (const auto& row : scores.rows) table.add(row);
  const DemoHeadline headline =
      headline_of(result.contents.contestants[kSfPlace], result.contents.contestants[kSgfPlace]);
  say("");
  table.print();
  print_lines(stdout, fmt::format("\n{}\n{}\n", headline.result, headline.meaning));
  print_lines(
      stdout,
      fmt::format(
          "\n{} prompts are few, and the training here shows that the pipeline works, not which method is better:\n"
          "for that see docs/study.md.\n\nTry next:\n",
          result.contents.videos.size()));
  for (const DemoCommand& command : result.contents.commands) say("  {}", command.line);
  say("");
  say("Open in a browser: {}", std::filesystem::absolute(result.page).string());
}

void run_demo_command(const DemoArgs& args) {
  if (args.out.empty()) misused("--out is empty; name a folder");
  const auto say = timed_lines();
  Config config = load_config("world-small-demo", with_compute(args.overrides, args.compute), preset_folders());
  const int64_t asked = config.run.threads;
  config.run.threads = threads_for_work(asked, work_of_clips(config, config.train.micro_batch));
  const DemoResult result =
      run_demo({.config = config,
                .models = args.models.empty() ? find_models() : std::filesystem::path(args.models),
                .out = args.out,
                .frames = args.frames,
                .prompts = args.prompts,
                .measuring = threads_for_work(asked, std::numeric_limits<double>::infinity()),
                .writes_videos = can_write_videos(),
                .progress = progress_mode(/*is_quiet=*/false),
                .output = standard_progress_output(),
                .say = say});
  say("done");
  print_result(result);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto args = std::make_shared<DemoArgs>();
  CLI::App* command = app.add_subcommand("demo", "Train a matched pair and stream long videos, in minutes on any CPU");
  command
      ->add_option("--out", args->out,
                   "folder for the page, its videos and the runs; an earlier demo there is overwritten")
      ->type_name("DIR")
      ->capture_default_str();
  command
      ->add_option("--models", args->models,
                   "folder with subfolders teacher, student, sf and sgf (default: the bundled models/world-small)")
      ->type_name("DIR");
  command
      ->add_option("--frames", args->frames,
                   "length of the long videos in latent frames, a multiple of the trained length, 21")
      ->capture_default_str()
      ->check(positive_number());
  command->add_option("--prompts", args->prompts, "long videos per student; the page plays the first four")
      ->capture_default_str()
      ->check(CLI::Range(1, 128));
  add_overrides(*command, args->overrides, "train.steps=20", "one key of the preset world-small-demo");
  add_compute(*command, args->compute);
  command->footer(
      "Examples:\n"
      "  sgf demo\n"
      "  sgf demo --out tour --prompts 4 --frames 84\n\n"
      "The page is DIR/demo.html.");
  command->callback([args] { run_demo_command(*args); });
}

}  // namespace sgf
