// `sgf pairs CONFIG --teacher RUN`: a teacher's paths from noise to data, for the ode stages to learn.
#include "apps/commands.h"
#include "apps/config_notes.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "sgf/config/network_work.h"
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
  PairRequest request{.config = load_and_explain(args.config, with_compute(args.overrides, args.compute)),
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
  say("{}: {} shards made, {} of {} whole{}", request.out.string(), result.made, result.whole, result.shards,
      result.whole == result.shards ? "" : "; the same command, or the other workers, make the rest");
  exit_with(result.was_stopped ? kPairsUnfinished : 0);
}

}  // namespace

void add_pairs(CLI::App& app) {
  auto args = std::make_shared<PairsArgs>();
  CLI::App* command =
      app.add_subcommand("pairs", "A teacher's paths from noise to data, which the ode stages learn from");
  command->footer(
      "Whole shards are kept by their hash, a half one is made again: the same command goes on after a kill. Exit "
      "codes:"
      "\n0 this worker's shards are whole; 1 failed; 3 stopped by SIGINT or SIGTERM.");
  command->add_option("config", args->config, "YAML file of the causal_ode or bidirectional_ode run that reads them")
      ->required();
  command
      ->add_option("--teacher", args->teacher,
                   "Weights or run folder: teacher-forced for causal_ode, bidirectional for bidirectional_ode")
      ->required();
  command->add_option("--out", args->out, "Folder of the pairs; data.pairs by default");
  command->add_option("--count", args->count, "Pairs, over all workers")->required()->check(positive_number());
  command->add_option("--per-shard", args->per_shard, "Pairs a file")->capture_default_str()->check(positive_number());
  command->add_option("--steps", args->steps, "Euler steps; the student's timesteps must be among them")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--guidance", args->guidance, "uncond + guidance (cond - uncond)")
      ->capture_default_str()
      ->check(number_from_zero());
  add_worker(*command, args->shard);
  add_compute(*command, args->compute);
  command->add_option("--set", args->overrides, "Override one key, as train.micro_batch=8; may be given again")
      ->allow_extra_args(false);
  command->add_flag("--quiet", args->quiet, "No progress");
  command->callback([args] { run_pairs(*args); });
}

}  // namespace sgf
