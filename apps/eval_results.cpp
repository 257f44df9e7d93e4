// `sgf eval table|export|import`: tables of results, and the exchange with the original VBench.
#include "apps/commands.h"
#include "apps/eval.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/evaluation/result_table.h"
#include "sgf/evaluation/vbench_exchange.h"
#include "sgf/files/json_file.h"
#include "sgf/vbench/metric_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgf {
namespace {

struct TableArgs {
  std::vector<std::string> files;
  std::string format = "text";
};

struct ExportArgs {
  std::string place;
  std::string out;
  std::string prompts;
  double fps = 16;
};

struct ImportArgs {
  std::vector<std::filesystem::path> files;
  std::string scores;
  bool json = false;
  std::map<std::string, std::string> labels;
};

void print_result_table(const ResultTable& results) {
  std::vector<std::string> headers{"horizon", "metric"};
  for (const ResultColumn& column : results.columns)
    headers.push_back(column.init.empty() ? column.method : column.init + " " + column.method);
  Table table(headers);
  for (const ResultRow& row : results.rows) {
    std::vector<std::string> cells{row.horizon.empty() ? "-" : row.horizon, std::string(paper_name(row.metric))};
    for (const ResultCell& cell : row.cells) cells.push_back(shown_cell(cell));
    table.add(cells);
  }
  table.print();
}

void run_table(const TableArgs& args) {
  std::vector<LabelledResult> results;
  for (const std::string& file : args.files) results.push_back(labelled_result(read_json_file(file), file));
  const ResultTable table = tabulate(results);
  SGF_CHECK(!table.rows.empty(), "none of these files holds a total; expected files that sgf eval --scores wrote");
  if (args.format == "text") return print_result_table(table);
  print_lines(stdout, args.format == "latex" ? latex_of(table) : markdown_of(table));
}

int run_export(const ExportArgs& args) {
  const auto book = args.prompts.empty() ? std::nullopt : std::optional(read_prompt_book(args.prompts));
  const std::vector<ListedVideo> videos = list_videos(args.place, book);
  const VbenchExport exported =
      export_for_vbench(videos, args.out, args.fps, show_progress(static_cast<int64_t>(videos.size()), "video"));
  for (const std::string& failure : exported.failed) warn("{}", shown_name(failure));
  for (const std::string& prompt : exported.renamed)
    warn("this prompt cannot be a file name; see prompts.json for its file: {}", shown_name(prompt));
  say("{} in {}; score them with the original VBench:", counted(exported.videos, "video"), args.out);
  say("  python evaluate.py --mode custom_input --videos_path {0}/videos --prompt_file {0}/prompts.json "
      "--dimension human_action temporal_style overall_consistency",
      args.out);
  say("and, for VBench's own prompts only, the six dimensions that need annotations of the prompt:");
  say("  python evaluate.py --videos_path {0}/videos --dimension object_class multiple_objects color "
      "spatial_relationship scene appearance_style",
      args.out);
  return exported.failed.empty() ? 0 : 1;
}

void run_import(const ImportArgs& args) {
  nlohmann::json result = import_results(args.files);
  result["labels"] = args.labels;
  if (!args.scores.empty()) write_json_file(args.scores, result);
  if (args.json) return say_json(result);
  Table table({"dimension", "score"});
  for (const auto& [name, total] : result["totals"].items())
    table.add({name, fmt::format("{:.4f}", total["value"].get<double>())});
  table.print();
  const nlohmann::json& totals = result["leaderboard"];
  for (const char* name : {"quality", "semantic", "total"})
    if (totals[name].is_number()) say("{} {:.4f}", name, totals[name].get<double>());
  if (!totals["missing"].empty())
    say("not computed, because dimensions are missing: {}",
        fmt::join(totals["missing"].get<std::vector<std::string>>(), ", "));
}

}  // namespace

void add_eval_table(CLI::App& eval) {
  auto args = std::make_shared<TableArgs>();
  CLI::App* command =
      eval.add_subcommand("table", "Print results side by side: initialisations and methods, by horizon");
  command
      ->add_option("files", args->files,
                   "results of sgf eval --scores, labelled by --init, --method, --horizon and --setting")
      ->type_name("FILE")
      ->required();
  command->add_option("--format", args->format, "format of the table")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "markdown", "latex"}));
  command->footer(
      "Examples:\n"
      "  sgf eval table sf.json sgf.json\n"
      "  sgf eval table results/*.json --format latex\n\n"
      "A star (or bold type) marks the best method of an initialisation to three digits: the largest value, or the "
      "smallest for errors and drifts of the world. Ratios to true clips have no mark. --setting is added to the "
      "horizon.");
  command->callback([args] { run_table(*args); });
}

void add_eval_export(CLI::App& eval) {
  auto args = std::make_shared<ExportArgs>();
  CLI::App* command = eval.add_subcommand("export", "Write videos and prompts in the layout of the original VBench");
  command->footer("Example:\n  sgf eval export videos/ --prompts videos/manifest.json --out for-vbench");
  command->add_option("videos", args->place, "video, folder of PNG files, or folder of such")
      ->type_name("PATH")
      ->required();
  command->add_option("--out", args->out, "new or empty folder to write to")->type_name("DIR")->required();
  command->add_option("--prompts", args->prompts, "JSON file with the prompts of the videos, or a manifest.json")
      ->type_name("FILE");
  command->add_option("--fps", args->fps, "frames per second of videos that do not state it")
      ->capture_default_str()
      ->check(positive_number());
  command->callback([args] { exit_with(run_export(*args)); });
}

void add_eval_import(CLI::App& eval) {
  auto args = std::make_shared<ImportArgs>();
  CLI::App* command = eval.add_subcommand("import", "Read results of VBench and compute the totals of its leaderboard");
  command->footer("Example:\n  sgf eval import results/*_eval_results.json --scores vbench.json");
  command->add_option("files", args->files, "files *_eval_results.json of VBench, and results of sgf eval --scores")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--scores", args->scores,
                   "JSON file to write the result to, for sgf eval table; an existing file is replaced")
      ->type_name("FILE");
  command->add_flag("--json", args->json, "result as one JSON object");
  for (const char* name : {"init", "method", "horizon", "setting"})
    command
        ->add_option_function<std::string>(
            fmt::format("--{}", name), [args, name](const std::string& text) { args->labels[name] = text; },
            fmt::format("{} label of the result, for sgf eval table", name))
        ->type_name("TEXT");
  command->callback([args] { run_import(*args); });
}

}  // namespace sgf
