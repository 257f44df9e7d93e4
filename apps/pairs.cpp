// `sgf pairs CONFIG --teacher RUN`: ODE trajectories of a teacher, the training data of the ode stages.
#include "apps/commands.h"
#include "apps/config_notes.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "sgf/config/network_work.h"
#include "sgf/core/counted.h"
#include "sgf/training/make_pairs.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <tuple>

namespace sgf {
namespace {

constexpr int kPairsUnfinished = 3;

struct PairsArgs {
  std::string config, teacher, out, shard = "0/1";
  std::vector<std::string> overrides;
  ComputeArgs compute;
  int64_t count = 0, per_shard = 64, steps = 48;
  double guidance = 6;
  bool quiet = false;
};

void run_pairs(const PairsArgs& args) {
  PairRequest request{.config = load_for_training(args.config, with_compute(args.overrides, args.compute)),
                      .teacher = args.teacher,
                      .out = args.out,
                      .count = args.count,
                      .per_shard = args.per_shard,
                      .guidance = args.guidance,
                      .steps = args.steps,
                      .progress = progress_mode(args.quiet),
                      .output = standard_progress_output()};
  if (request.out.empty()) request.out = request.config.data.pairs;
  Config& config = request.config;
  config.run.threads = threads_for_work(config.run.threads, work_of_clips(config, config.train.micro_batch));
  std::tie(request.worker, request.workers) = worker_of(args.shard);
  const PairResult result = make_pairs(request);
  say("{}: {} made, {} of {} complete{}", request.out.string(), counted(result.made, "shard"), result.whole,
      result.shards,
      result.whole == result.shards ? "" : "; the other workers, or the same command run again, make the rest");
  exit_with(result.was_stopped ? kPairsUnfinished : 0);
}

void add_trajectories(CLI::App& command, PairsArgs& args) {
  add_config_argument(command, args.config,
                      "YAML file or preset of the causal_ode or bidirectional_ode run that trains on them")
      ->required();
  command
      .add_option("--teacher", args.teacher,
                  "weight file or run folder of the teacher: teacher-forced for causal_ode, bidirectional for "
                  "bidirectional_ode")
      ->type_name("RUN")
      ->required();
  command.add_option("--out", args.out, "folder to write the pairs to (default: data.pairs)")->type_name("DIR");
  command.add_option("--count", args.count, "number of pairs over all workers")->required()->check(positive_number());
  command.add_option("--per-shard", args.per_shard, "pairs per file")->capture_default_str()->check(positive_number());
  command
      .add_option("--steps", args.steps, "Euler steps of the teacher, which must include the timesteps of the student")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_option("--guidance", args.guidance, "guidance scale g in uncond + g (cond - uncond)")
      ->capture_default_str()
      ->check(number_from_zero());
}

void add_running(CLI::App& command, PairsArgs& args) {
  add_worker(command, args.shard);
  add_compute(command, args.compute);
  add_overrides(command, args.overrides, "train.micro_batch=8");
  command.add_flag("--quiet", args.quiet, "no progress line");
}

}  // namespace

void add_pairs(CLI::App& app) {
  auto args = std::make_shared<PairsArgs>();
  CLI::App* command = app.add_subcommand("pairs", "Make ODE trajectories of a teacher, to train the ode stages on");
  command->footer(
      "Example:\n"
      "  sgf pairs causal-ode.yaml --teacher runs/teacher --out data/pairs --count 4096\n\n"
      "Complete shards are kept, incomplete ones are regenerated: run the same command to resume.\n\n"
      "Exit codes: 0 the shards of this worker are complete; 1 failed; 3 stopped by SIGINT or SIGTERM.");
  add_trajectories(*command, *args);
  add_running(*command, *args);
  command->callback([args] { run_pairs(*args); });
}

}  // namespace sgf
