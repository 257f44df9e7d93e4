// `sgf pairs CONFIG --teacher RUN`: a teacher's paths from noise to data, for the ode stages to learn.
#include "apps/commands.h"
#include "apps/config_notes.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/training/make_pairs.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <memory>

namespace sgf {
namespace {

constexpr int kPairsUnfinished = 3;

struct PairsArgs {
  std::string config, teacher, out, shard = "0/1";
  std::vector<std::string> overrides;
  int64_t count = 0, per_shard = 64, steps = 48;
  double guidance = 6;
  bool quiet = false;
};

// "2/8": worker 2 of workers 0 to 7.
void parse_worker(const std::string& text, PairRequest& request) {
  const size_t slash = text.find('/');
  const auto read = [](std::string_view part, int64_t& number) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    return !part.empty() && error == std::errc() && end == part.data() + part.size();
  };
  const std::string_view view = text;
  check(slash != std::string::npos && read(view.substr(0, slash), request.worker) &&
            read(view.substr(slash + 1), request.workers),
        "training", "--shard is written as 2/8, worker 2 of 0 to 7, got {}", in_quotes(text));
}

void run_pairs(const PairsArgs& args) {
  PairRequest request{.config = load_and_explain(args.config, args.overrides),
                      .teacher = args.teacher,
                      .out = args.out,
                      .count = args.count,
                      .per_shard = args.per_shard,
                      .guidance = args.guidance,
                      .steps = args.steps,
                      .progress = progress_mode(args.quiet)};
  if (request.out.empty()) request.out = request.config.data.pairs;
  parse_worker(args.shard, request);
  const PairResult result = make_pairs(request);
  fmt::print("{}: {} shards made, {} of {} whole{}\n", request.out.string(), result.made, result.whole, result.shards,
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
  command->add_option("--count", args->count, "Pairs, over all workers")->required()->check(CLI::PositiveNumber);
  command->add_option("--per-shard", args->per_shard, "Pairs a file")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--steps", args->steps, "Euler steps; the student's timesteps must be among them")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--guidance", args->guidance, "uncond + guidance (cond - uncond)")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--shard", args->shard, "This worker of how many, as 2/8")->capture_default_str();
  command->add_option("--set", args->overrides, "Override one key, as train.micro_batch=8; may be given again")
      ->allow_extra_args(false);
  command->add_flag("--quiet", args->quiet, "No progress");
  command->callback([args] { run_pairs(*args); });
}

}  // namespace sgf
