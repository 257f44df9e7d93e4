// `sgf diagnose recovery|feasibility CONFIG`: does Pass 2 repeat Pass 1, and what does each way to a gradient cost?
// `sgf diagnose vae-boundary VIDEO`: what does a latent lose with its past? `sgf diagnose sink CONFIG`: what does the
// sink do for a long stream?
#include "apps/diagnose.h"
#include "apps/commands.h"
#include "apps/config_notes.h"
#include "apps/option_values.h"
#include "apps/threads.h"
#include "sgf/assembly/preset_folders.h"
#include "sgf/config/network_work.h"
#include "sgf/core/device.h"

#include <CLI/CLI.hpp>

namespace sgf {

namespace {

Config prepared(Config config, const DiagnoseArgs& args) {
  if (!args.dtype.empty()) config.run.dtype = enum_from_name<ComputeDtype>(args.dtype).value();
  validate(config);
  const int64_t asked = args.threads > 0 ? args.threads : config.run.threads;
  use_threads(threads_for_work(asked, work_of_clips(config, 1)));
  return config;
}

}  // namespace

Config diagnosed_config(const DiagnoseArgs& args) {
  return prepared(load_trainable(args.config, args.overrides), args);
}

Config diagnosed_stream(const DiagnoseArgs& args) {
  return prepared(load_config(args.config, args.overrides, preset_folders()), args);
}

c10::Device diagnosed_device(const DiagnoseArgs& args, const Config& config) {
  return device_from_name(args.device.empty() ? enum_name(config.run.device) : std::string_view(args.device));
}

void add_diagnose_args(CLI::App& command, DiagnoseArgs& args) {
  add_config_argument(command, args.config)->required();
  add_overrides(command, args.overrides, "video.frames=9");
  command.add_option("--weights", args.weights, "weight file or run folder (default: random weights from run.seed)")
      ->type_name("RUN");
  add_device(command, args.device, kDeviceOfConfig);
  command.add_option("--dtype", args.dtype, "element type of the computation (default: run.dtype)")
      ->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
  add_threads(command, args.threads, kThreadsOfConfig);
  command.add_flag("--json", args.json, "result as one JSON object");
}

void add_diagnose(CLI::App& app) {
  CLI::App* command = app.add_subcommand("diagnose", "Measure the two passes, the VAE and the sink");
  command->footer("Example:\n  sgf diagnose recovery world-tiny --weights runs/world-tiny");
  command->require_subcommand(1);
  add_diagnose_recovery(*command);
  add_diagnose_feasibility(*command);
  add_diagnose_vae_boundary(*command);
  add_diagnose_sink(*command);
}

}  // namespace sgf
