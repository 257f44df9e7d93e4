// `sgf train CONFIG`: a training run in its own folder, which can be stopped and resumed.
#include "apps/commands.h"
#include "apps/config_notes.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "apps/version.h"
#include "sgf/config/config.h"
#include "sgf/core/counted.h"
#include "sgf/training/run/train_run.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace sgf {
namespace {

constexpr int kStopped = 3, kUnsound = 4;

struct TrainArgs {
  std::string config;
  std::vector<std::string> overrides;
  ComputeArgs compute;
  std::string out;
  bool resume = false;
  bool quiet = false;
  int64_t stop_after = 0;
};

int exit_code(TrainEnd end) { return end == TrainEnd::kDone ? 0 : end == TrainEnd::kStopped ? kStopped : kUnsound; }

// Another rank is gone while this one is in the middle of a long step: there is nothing left to wait for.
void leave_at_once(const std::string& message) {
  warn("{}", message);
  std::_Exit(1);
}

TrainRequest request_of(const TrainArgs& args) {
  const std::vector<std::string> overrides = with_compute(args.overrides, args.compute);
  TrainRequest request{.config = load_for_training(args.config, overrides),
                       .out = args.out,
                       .resume = args.resume,
                       .stop_after_steps = args.stop_after,
                       .facts = {{"build", version_text()}, {"config", args.config}, {"set", overrides}},
                       .progress = progress_mode(args.quiet),
                       .output = standard_progress_output(),
                       .warn = warn_line};
  if (request.out.empty()) request.out = "runs/" + request.config.name;
  request.config.run.threads = threads_of_run(request.config, overrides, request.resume, request.out, cores_of_rank());
  return request;
}

void print_result(const TrainResult& result, const std::string& place) {
  if (result.end == TrainEnd::kDone) {
    say("{} done; report: {}/report.html", counted(result.steps_done, "update"), place);
    return;
  }
  // The run's own config holds every --set of this command.
  say("stopped after update {}: {}; checkpoint written, resume with sgf train {}/config.yaml --out {} --resume",
      result.steps_done, result.reason, place, place);
  if (result.end == TrainEnd::kUnsound)
    say("find the cause first; a new run (--out) with a lower learning rate can start from an earlier checkpoint with "
        "--set train.start_from={}/checkpoints/step_N",
        place);
}

// The exit code. The ranks meet first: one that cannot read its config tells the others why.
int run_train(const TrainArgs& args) {
  const Ranks ranks(read_rank_place(), {.on_end = leave_at_once});
  TrainRequest request;
  ranks.guard([&] { request = request_of(args); });
  const TrainResult result = run_training(request, ranks);
  if (ranks.is_first()) print_result(result, request.out.string());
  return exit_code(result.end);
}

}  // namespace

void add_train(CLI::App& app) {
  auto args = std::make_shared<TrainArgs>();
  CLI::App* command = app.add_subcommand("train", "Train a network: teacher, student, Self (Gradient) Forcing");
  command->footer(
      "Examples:\n"
      "  sgf train world-tiny --set train.stage=flow_matching --out runs/try\n"
      "  sgf train runs/try/config.yaml --out runs/try --resume\n\n"
      "Several processes: start one per rank with RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT set, as "
      "torchrun does, or use srun or mpirun. Ranks that differ in build, config or data exit with code 1 and name the "
      "first difference. On GPUs only NCCL groups of one rank were tested.\n\n"
      "Exit codes: 0 all updates done; 1 failed; 3 stopped by SIGINT, SIGTERM or --stop-after, with a checkpoint; 4 "
      "the run stopped itself (too many skipped updates in a row, or the two passes no longer match), with a "
      "checkpoint.");
  add_config_argument(*command, args->config)->required();
  add_overrides(*command, args->overrides, "train.steps=200");
  add_compute(*command, args->compute);
  command->add_option("--out", args->out, "run folder to write to (default: runs/NAME)")->type_name("RUN");
  command->add_flag("--resume", args->resume,
                    "resume from the last checkpoint in --out; start a new run if the folder has no checkpoint");
  command
      ->add_option("--stop-after", args->stop_after,
                   "number of updates after which this start stops with a checkpoint (default: none)")
      ->check(positive_number());
  command->add_flag("--quiet", args->quiet, "no progress line");
  command->callback([args] { exit_with(run_train(*args)); });
}

}  // namespace sgf
