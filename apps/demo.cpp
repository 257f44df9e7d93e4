// `sgf demo`: a tour in minutes on any CPU.
#include "sgf/evaluation/demo.h"
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/preset_folders.h"
#include "apps/table.h"
#include "sgf/core/config.h"
#include "sgf/core/error.h"
#include "sgf/evaluation/demo_page.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace sgf {
namespace {

struct DemoArgs {
  std::string models;
  std::string out = "demo";
  std::vector<std::string> overrides;
  int64_t frames = 168;
};

// Beside the presets, in the source tree as in an installed one.
std::filesystem::path find_models() {
  for (const std::filesystem::path& presets : preset_folders()) {
    const std::filesystem::path models = presets.parent_path() / "models" / "world-tiny";
    if (std::filesystem::exists(models / "student.safetensors")) return models;
  }
  fail("apps", "the demo's weights are not beside the presets: name their folder with --models");
}

void run_demo_command(const DemoArgs& args) {
  DemoSettings settings{.config = load_config("world-tiny-demo", args.overrides, preset_folders()),
                        .out = args.out,
                        .rollout_frames = args.frames,
                        .prompts = {"a slow blue disc on a grey field", "a fast cyan square on a brown field",
                                    "a fast red triangle on a black field", "a slow yellow disc on a black field"},
                        .progress = isatty(STDERR_FILENO) != 0 ? ProgressMode::kTerminal : ProgressMode::kLog,
                        .say = [](const std::string& line) {
                          fmt::print("{}\n", line);
                          std::fflush(stdout);
                        }};
  const std::filesystem::path models = args.models.empty() ? find_models() : std::filesystem::path(args.models);
  settings.config.train.start_from = (models / "student.safetensors").string();
  settings.config.dmd.teacher = (models / "teacher.safetensors").string();
  const DemoResult result = run_demo(settings);
  Table table(demo_table_head());
  for (const auto& row : demo_table(result)) table.add(row);
  table.print();
  fmt::print("\nSo few updates show that the machinery works, not which method is better.\nThe page: {}\n",
             std::filesystem::absolute(result.page).string());
}

}  // namespace

void add_demo(CLI::App& app) {
  auto args = std::make_shared<DemoArgs>();
  CLI::App* command = app.add_subcommand(
      "demo", "Self Forcing and Self Gradient Forcing side by side on the built-in world, in minutes on a CPU");
  command->add_option("--out", args->out, "Folder for the runs, strips and the page")->capture_default_str();
  command->add_option("--models", args->models, "Folder with teacher.safetensors and student.safetensors");
  command->add_option("--frames", args->frames, "Length of the long rollouts")
      ->capture_default_str()
      ->check(positive_number());
  command->add_option("--set", args->overrides, "Override one key, as train.steps=20; may be given again")
      ->allow_extra_args(false);
  command->callback([args] { run_demo_command(*args); });
}

}  // namespace sgf
