// `sgf plan CONFIG`: memory, operations and time of a training run before it is started, and what would fit.
#include "apps/commands.h"
#include "apps/config_notes.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/start_file.h"
#include "sgf/config/config.h"
#include "sgf/core/counted.h"
#include "sgf/core/gibibytes.h"
#include "sgf/training/planning/run_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sgf {
namespace {

struct PlanArgs {
  std::string config;
  std::vector<std::string> overrides;
  PlanRequest request;
  std::string teacher;
  bool json = false;
};

std::string gib(int64_t bytes) { return fmt::format("{:.2f}", gib_of(bytes)); }
std::string tera(double flops) { return fmt::format("{:.4g}", flops / 1e12); }

void print_memory(const MemoryPlan& memory) {
  Table table({"memory of one device", "GiB"});
  for (const MemoryRow& row : memory.resident) table.add({row.name, gib(row.bytes)});
  table.add({"resident", gib(memory.resident_bytes())});
  for (const MemoryRow& row : memory.phases) table.add({"+ " + row.name, gib(row.bytes)});
  table.add({"peak, in " + memory.largest_phase().name, gib(memory.peak_bytes())});
  table.print();
  for (const MemoryRow& row : memory.details) say("  of which {}: {} GiB", row.name, gib(row.bytes));
}

void print_costs(const RunPlan& plan) {
  Table table({"update, per sample", "TFLOP, linear", "TFLOP, attention"});
  for (const PhaseCost& phase : plan.phases)
    table.add({phase.name, tera(phase.flops().linear), tera(phase.flops().attention)});
  table.print();
}

void print_time(const RunPlan& plan) {
  say("{} per update: {}, {} per forward, {} per GPU", counted(plan.global_batch, "sample"), counted(plan.gpus, "GPU"),
      plan.micro_batch, counted(plan.parts, "accumulated forward"));
  const std::string step = fmt::format("{} TFLOP per update on average", tera(plan.flops_a_step.total()));
  if (!plan.step_seconds) return say("{}; the time is unknown, because this device and dtype were not measured", step);
  say("{}, about {:.3g} s without the exchange of gradients between GPUs", step, *plan.step_seconds);
  say("  from {}", plan.rates->source);
}

void print_fit(const RunPlan& plan) {
  if (!plan.memory_gib) return;
  const std::string of = fmt::format("{} of {:g} GiB; {:.0f} % is reserved for the CUDA context and fragmentation",
                                     gib(plan.memory.peak_bytes()), *plan.memory_gib, 100 * (1 - kUsableShare));
  if (plan.fits) {
    say("fits: {}", of);
  } else if (plan.change) {
    say("does not fit: {}; the smallest change that fits: --set {} ({} GiB)", of,
        fmt::join(plan.change->set, " --set "), gib(plan.change->peak_bytes));
  } else {
    say("does not fit: {}; nor with micro_batch 1, recomputed blocks and no samples, because {} GiB are resident; use "
        "a "
        "larger GPU, or a smaller network or video",
        of, gib(plan.memory.resident_bytes()));
  }
}

// The preset asked for, or the network in the teacher's file; else the trained network's sizes stand in for it.
std::optional<DitConfig> teacher_of(const Config& config, const std::string& preset) {
  const bool is_distilled = config.train.stage == StageChoice::kCausalCd;
  if (config.train.stage != StageChoice::kDmd && !is_distilled) return std::nullopt;
  if (!preset.empty()) return load_config(preset, {}, preset_folders()).model;
  const std::string& teacher = is_distilled ? config.distil.teacher : config.dmd.teacher;
  if (teacher.empty()) return std::nullopt;
  if (std::filesystem::exists(teacher)) return read_teacher_config(teacher, config.model);
  warn(
      "{} {} was not found, so the teacher is assumed to be as large as the generator; name another size with "
      "--teacher, for example wan-14b",
      is_distilled ? "distil.teacher" : "dmd.teacher", teacher);
  return std::nullopt;
}

void run_plan(const PlanArgs& args) {
  const Config config = load_trainable(args.config, args.overrides);
  PlanRequest request = args.request;
  request.teacher = teacher_of(config, args.teacher);
  const RunPlan plan = plan_run(config, request);
  if (args.json) {
    say_json(to_json(plan));
  } else {
    say("{}: {} parameters{}", args.config, shown_count(plan.parameters),
        plan.teacher_parameters ? fmt::format(", {} in the teacher", shown_count(*plan.teacher_parameters)) : "");
    say("");
    print_memory(plan.memory);
    say("");
    print_costs(plan);
    say("");
    print_time(plan);
    print_fit(plan);
  }
  exit_with(plan.fits ? 0 : 1);
}

}  // namespace

void add_plan(CLI::App& app) {
  auto args = std::make_shared<PlanArgs>();
  CLI::App* command = app.add_subcommand("plan", "Estimate memory, operations and time of a training run");
  command->footer(
      "Examples:\n"
      "  sgf plan wan-1.3b-chunkwise --gpus 8 --memory 80\n"
      "  sgf plan world-small --set train.micro_batch=8 --json\n\n"
      "Pure arithmetic for GPUs: no device is used, and only the sizes of weights are read.\n\n"
      "Exit codes: 0 fits, or --memory was not given; 1 does not fit, or failed.");
  add_config_argument(*command, args->config)->required();
  add_overrides(*command, args->overrides, "train.micro_batch=2");
  command->add_option("--gpus", args->request.gpus, "number of GPUs that share the global batch")
      ->capture_default_str()
      ->check(positive_number());
  command->add_option("--memory", args->request.memory_gib, "memory of one GPU in GiB, to check whether the run fits")
      ->check(positive_number());
  command->add_option("--gpu", args->request.gpu, "GPU model to estimate the time for; only h200 was measured")
      ->type_name("NAME")
      ->capture_default_str();
  suggest_presets(
      *command
           ->add_option("--teacher", args->teacher,
                        "preset with the size of the teacher, for example wan-14b (default: read from its file)")
           ->type_name("PRESET"));
  command->add_flag("--json", args->json, "result as one JSON object");
  command->callback([args] { run_plan(*args); });
}

}  // namespace sgf
