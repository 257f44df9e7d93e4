// `sgf diagnose feasibility CONFIG`: what each way to a gradient costs, on one rollout.
#include "apps/commands.h"
#include "apps/diagnose.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/core/error.h"
#include "sgf/diagnosis/diagnosis_setup.h"
#include "sgf/diagnosis/feasibility.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace sgf {
namespace {

using Json = nlohmann::json;

struct FeasibilityArgs {
  DiagnoseArgs common;
  std::vector<std::string> methods{"sf", "sgf", "direct-cache", "bptt"};
  std::optional<int64_t> exit_step;
};

// A row that ran, beside the gradient of Self Gradient Forcing where that ran too.
struct ShownRow {
  FeasibilityRow row;
  std::optional<double> distance;
};

Json to_json(const ShownRow& shown) {
  const FeasibilityRow& row = shown.row;
  Json out{{"method", name_of(row.method)}, {"outcome", row.ran_out_of_memory ? "out of memory" : "ran"}};
  if (row.ran_out_of_memory) return out;
  out.update({{"seconds", row.seconds},
              {"peak_bytes", row.peak_bytes},
              {"loss", row.loss},
              {"gradient_norm", row.gradient_norm}});
  out["distance_from_sgf"] = shown.distance ? Json(*shown.distance) : Json(nullptr);
  return out;
}

void add_feasibility_row(Table& table, const ShownRow& shown) {
  const FeasibilityRow& row = shown.row;
  const std::string method(name_of(row.method));
  if (row.ran_out_of_memory) return table.add({method, "", "", "", "", "", "OUT OF MEMORY"});
  table.add({method, fmt::format("{:.3f}", row.seconds), shown_bytes(static_cast<uint64_t>(row.peak_bytes)),
             fmt::format("{:.8g}", row.loss), fmt::format("{:.4g}", row.gradient_norm),
             shown.distance ? fmt::format("{:.2e}", *shown.distance) : "", "runs"});
}

void print_feasibility(const FeasibilityArgs& args, const DiagnosisSetup& run, const std::vector<ShownRow>& rows,
                       int64_t exit_step) {
  if (args.common.json) {
    Json out{{"weights", run.weights_words()}, {"exit_step", exit_step}, {"rows", Json::array()}};
    for (const ShownRow& row : rows) out["rows"].push_back(to_json(row));
    say_json(out);
    return;
  }
  say("One rollout, exit step {}; {}", exit_step, run.weights_words());
  Table table({"method", "seconds", "peak memory", "loss", "gradient norm", "from sgf's", "outcome"});
  for (const ShownRow& row : rows) add_feasibility_row(table, row);
  table.print();
  say("The paper, one cycle of five steps: sf 79.01 GB, 10.39 s; sgf 87.01 GB, 11.71 s; direct cache out of memory.");
}

int run_feasibility(const FeasibilityArgs& args) {
  const Config config = diagnosed_config(args.common);
  const c10::Device device = diagnosed_device(args.common, config);
  std::vector<GradientMethod> methods;
  for (const std::string& name : args.methods) methods.push_back(gradient_method_from_name(name));
  const auto steps = static_cast<int64_t>(config.schedule.denoising_steps.size());
  const int64_t exit_step = args.exit_step.value_or(steps);
  SGF_CHECK(exit_step >= 1 && exit_step <= steps, "--exit must be from 1 to {}, got {}", steps, exit_step);
  SGF_CHECK(config.dmd.cache == CacheLatents::kExit,
            "dmd.cache must be exit here, because a rollout that keeps its graph caches exit predictions");
  const DiagnosisSetup run(config, args.common.weights, device);
  set_requires_grad(run.dit().weights(), true);
  const int64_t batch = config.train.micro_batch;
  const FeasibilitySettings setting{run.dit(),           run.rollout(),      exit_step,
                                    run.noise(0, batch), run.text(0, batch), run.target(0, batch)};
  std::vector<ShownRow> rows;
  for (const GradientMethod method : methods) rows.push_back({measure_feasibility(method, setting), {}});
  for (const ShownRow& reference : rows)
    if (reference.row.method == GradientMethod::kSelfGradientForcing && !reference.row.ran_out_of_memory)
      for (ShownRow& row : rows)
        if (!row.row.ran_out_of_memory) row.distance = gradient_distance(row.row.gradients, reference.row.gradients);
  print_feasibility(args, run, rows, exit_step);
  return 0;
}

}  // namespace

void add_diagnose_feasibility(CLI::App& diagnose) {
  auto args = std::make_shared<FeasibilityArgs>();
  CLI::App* command = diagnose.add_subcommand(
      "feasibility", "Measure time and peak memory of Self Forcing, SGF, direct cache and BPTT on one rollout");
  command->footer(
      "Examples:\n"
      "  sgf diagnose feasibility world-tiny\n"
      "  sgf diagnose feasibility world-small --methods sf,sgf --exit 2 --json\n\n"
      "sf: Pass 1, then Pass 2 with frozen context. sgf: the same with open context. direct-cache: one serial rollout "
      "whose cache writes keep their graph. bptt: one serial rollout with nothing detached. The last two keep all "
      "activations whatever train.activations says, because blocks cannot be recomputed from a cache.");
  add_diagnose_args(*command, args->common);
  CLI::Option* methods =
      command->add_option("--methods", args->methods, "methods to measure, separated by commas (default: all)")
          ->type_name("NAMES")
          ->delimiter(',');
  suggest_words(*methods, {"sf", "sgf", "direct-cache", "bptt"});
  command->add_option("--exit", args->exit_step, "exit step, 1 to the number of denoising steps (default: the last)");
  command->callback([args] { exit_with(run_feasibility(*args)); });
}

}  // namespace sgf
