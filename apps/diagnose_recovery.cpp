// `sgf diagnose recovery CONFIG`: how faithfully Pass 2 repeats Pass 1, per exit step.
#include "apps/commands.h"
#include "apps/diagnose.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/diagnosis/diagnosis_setup.h"
#include "sgf/diagnosis/recovery_per_exit.h"
#include "sgf/files/writable_folder.h"
#include "sgf/training/recovery_watch.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>

namespace sgf {
namespace {

using Json = nlohmann::json;

struct RecoveryArgs {
  DiagnoseArgs common;
  int64_t noises = 8;
  std::string save_record;
  std::vector<std::string> replay;
};

// The paper's appendix, bfloat16, trained weights; exits 1 to 4.
constexpr std::array kPaperRecovery{0.0213, 0.0157, 0.0113, 0.0081};
constexpr double kPaperMean = 0.0141;
constexpr double kBFloat16Step = 1.0 / 128;

struct RecoveryRow {
  std::string name;
  ExitRecovery recovery;
  std::optional<double> paper;
};

// Rows as they are known, and their mean.
class RecoveryTable {
 public:
  RecoveryTable(const Config& config, std::string first_header)
      : is_bfloat16_(config.run.dtype == ComputeDtype::kBFloat16), table_(headers(std::move(first_header))) {}

  void add(const RecoveryRow& row) {
    std::vector<std::string> cells{row.name, fmt::format("{:.1f}", row.recovery.timestep),
                                   fmt::format("{}", row.recovery.noises)};
    for (std::string& cell : numbers(row.recovery.report)) cells.push_back(std::move(cell));
    if (is_bfloat16_) cells.push_back(row.paper ? fmt::format("{:.4f}", *row.paper) : "");
    table_.add(std::move(cells));
  }

  void print() const { table_.print(); }

 private:
  std::vector<std::string> headers(std::string first) const {
    std::vector<std::string> names{std::move(first), "timestep", "noises", "relative L2"};
    if (is_bfloat16_) names.push_back("x 2^-7");
    names.insert(names.end(), {"cosine", "max abs"});
    if (is_bfloat16_) names.push_back("the paper");
    return names;
  }

  std::vector<std::string> numbers(const RecoveryReport& r) const {
    std::vector<std::string> cells{fmt::format("{:.3g}", r.relative_l2)};
    if (is_bfloat16_) cells.push_back(fmt::format("{:.2f}", r.relative_l2 / kBFloat16Step));
    cells.insert(cells.end(), {fmt::format("{:.6f}", r.cosine), fmt::format("{:.3g}", r.max_abs)});
    return cells;
  }

  bool is_bfloat16_;
  Table table_;
};

Json to_json(const RecoveryRow& row) {
  return {{"name", row.name},
          {"timestep", row.recovery.timestep},
          {"noises", row.recovery.noises},
          {"relative_l2", row.recovery.report.relative_l2},
          {"relative_l2_over_bf16_step", row.recovery.report.relative_l2 / kBFloat16Step},
          {"flow_relative_l2", row.recovery.flow_relative_l2},
          {"cosine", row.recovery.report.cosine},
          {"max_abs", row.recovery.report.max_abs},
          {"paper_relative_l2", row.paper ? Json(*row.paper) : Json(nullptr)}};
}

std::vector<RecoveryRow> measured_rows(const RecoveryArgs& args, const DiagnosisSetup& run, bool is_bfloat16) {
  RecoverySettings setting{.dit = run.dit(),
                           .rollout = run.rollout(),
                           .noise = [&](int64_t number) { return run.noise(number, 1); },
                           .text = [&](int64_t number) { return run.text(number, 1); },
                           .noises = args.noises,
                           .on_record = {}};
  if (!args.save_record.empty())
    setting.on_record = [&](int64_t exit, int64_t number, const SavedRecord& saved) {
      save_record(std::filesystem::path(args.save_record) / fmt::format("exit{}_noise{}.safetensors", exit, number),
                  saved);
    };
  std::vector<RecoveryRow> rows;
  const size_t exits = setting.rollout.timesteps.size();
  for (size_t i = 0; i < exits; ++i) {
    const bool has_paper = is_bfloat16 && exits == kPaperRecovery.size();
    rows.push_back({fmt::format("{}", i + 1), measure_recovery(setting, static_cast<int64_t>(i + 1)),
                    has_paper ? std::optional(kPaperRecovery[i]) : std::nullopt});
  }
  return rows;
}

std::vector<RecoveryRow> replayed_rows(const std::vector<std::string>& files, const std::vector<SavedRecord>& records,
                                       const DiagnosisSetup& run) {
  std::vector<RecoveryRow> rows;
  for (size_t i = 0; i < files.size(); ++i) rows.push_back({files[i], replay_recovery(run.dit(), records[i]), {}});
  return rows;
}

RecoveryRow mean_of(const std::vector<RecoveryRow>& rows) {
  RecoveryRow mean{"mean", {}, {}};
  const double share = 1.0 / static_cast<double>(rows.size());
  for (const RecoveryRow& row : rows) {
    mean.recovery.noises += row.recovery.noises;
    mean.recovery.timestep += row.recovery.timestep * share;
    mean.recovery.flow_relative_l2 += row.recovery.flow_relative_l2 * share;
    mean.recovery.report.relative_l2 += row.recovery.report.relative_l2 * share;
    mean.recovery.report.cosine += row.recovery.report.cosine * share;
    mean.recovery.report.max_abs = std::max(mean.recovery.report.max_abs, row.recovery.report.max_abs);
    if (row.paper) mean.paper = kPaperMean;
  }
  return mean;
}

void print_recovery(const Config& config, const RecoveryArgs& args, const DiagnosisSetup& run,
                    const std::vector<RecoveryRow>& rows, bool is_sound) {
  const RecoveryRow mean = mean_of(rows);
  const double limit = RecoveryWatch::usual_limit(compute_type(config));
  const std::string text = args.replay.empty() ? run.text_words() : "text as saved";
  if (args.common.json) {
    Json out{{"weights", run.weights_words()},
             {"text", text},
             {"dtype", enum_name(config.run.dtype)},
             {"rows", Json::array()},
             {"mean", to_json(mean)},
             {"limit", limit},
             {"ok", is_sound}};
    for (const RecoveryRow& row : rows) out["rows"].push_back(to_json(row));
    say_json(out);
    return;
  }
  say("Pass 2 against Pass 1: {}; {}; {}", run.weights_words(), text, enum_name(config.run.dtype));
  RecoveryTable table(config, args.replay.empty() ? "exit" : "record");
  for (const RecoveryRow& row : rows) table.add(row);
  table.add(mean);
  table.print();
  if (!is_sound)
    say("THE TWO PASSES DO NOT MATCH: relative L2 {:.3g}, expected at most {:.3g} in {}",
        mean.recovery.report.relative_l2, limit, enum_name(config.run.dtype));
}

int run_recovery(const RecoveryArgs& args) {
  const Config config = diagnosed_config(args.common);
  const c10::Device device = diagnosed_device(args.common, config);
  std::vector<SavedRecord> records;
  for (const std::string& file : args.replay) records.push_back(load_record(file));
  if (!args.save_record.empty()) create_folder(args.save_record);
  const DiagnosisSetup run(config, args.common.weights, device);
  const std::vector<RecoveryRow> rows = args.replay.empty()
                                            ? measured_rows(args, run, config.run.dtype == ComputeDtype::kBFloat16)
                                            : replayed_rows(args.replay, records, run);
  const double limit = RecoveryWatch::usual_limit(compute_type(config));
  bool is_sound = true;
  for (const RecoveryRow& row : rows) is_sound = is_sound && row.recovery.report.relative_l2 <= limit;
  print_recovery(config, args, run, rows, is_sound);
  return is_sound ? 0 : 1;
}

}  // namespace

void add_diagnose_recovery(CLI::App& diagnose) {
  auto args = std::make_shared<RecoveryArgs>();
  CLI::App* command =
      diagnose.add_subcommand("recovery", "Measure how closely Pass 2 reproduces Pass 1, per exit step");
  command->footer(
      "Examples:\n"
      "  sgf diagnose recovery world-tiny\n"
      "  sgf diagnose recovery runs/my-run/config.yaml --weights runs/my-run --json\n\n"
      "Exit codes: 0 the passes match; 1 they differ by more than 0.05 in bfloat16 or 1e-3 in wider types, or failed.");
  add_diagnose_args(*command, args->common);
  CLI::Option* noises = command->add_option("--noises", args->noises, "rollouts per exit step")
                            ->capture_default_str()
                            ->check(positive_number());
  CLI::Option* save =
      command->add_option("--save-record", args->save_record, "folder to save every exit record to")->type_name("DIR");
  command->add_option("--replay", args->replay, "saved exit records to reconstruct instead of rolling out")
      ->type_name("FILE")
      ->excludes(save)
      ->excludes(noises);
  command->callback([args] { exit_with(run_recovery(*args)); });
}

}  // namespace sgf
