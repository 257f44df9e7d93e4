// `sgf doctor DIR`: what is in a folder of weights, what is missing, and which commands it is good for.
#include "apps/commands.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/assembly/folder_advice.h"
#include "sgf/core/error.h"
#include "sgf/core/shell_argument.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace sgf {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct DoctorArgs {
  std::vector<std::string> paths;
  bool json = false;
};

const char* word_of(PartState state) {
  return state == PartState::kComplete ? "complete" : state == PartState::kMissing ? "missing" : "broken";
}

void print_wan(const WanSurvey& wan) {
  say("{}: Wan folder", wan.folder.string());
  if (!wan.problem.empty()) say("  {}", wan.problem);
  if (wan.parts.empty()) return;
  Table table({"  part", "state", "size", "file", "content"});
  for (const SurveyedPart& part : wan.parts)
    table.add({"  " + part.name, word_of(part.state), part.file.empty() ? "" : shown_bytes(part.bytes),
               part.file.empty() ? "" : part.file.lexically_relative(wan.folder).string(), part.content});
  table.print();
  for (const SurveyedPart& part : wan.parts) {
    if (part.state == PartState::kComplete) continue;
    say("  {} is {}{}", part.name, word_of(part.state), part.problem.empty() ? "" : ": " + part.problem);
    say("    needed for: {}", part.purpose);
    say("    get it:     {}", part.downloads);
  }
}

void print_weights(const SurveyedWeights& weights) {
  say("{}: {}, {}", weights.file.string(), shown_bytes(weights.bytes),
      weights.problem.empty() ? "complete" : "cannot be used: " + weights.problem);
  if (!weights.content.empty()) say("  content: {}", weights.content);
  if (!weights.window.empty()) say("  window:  {}", weights.window);
  if (weights.is_many_step)
    say("  use:     a start of training (train.start_from={}); a many-step model, no student for sgf generate",
        shell_argument(weights.file.string()));
  if (weights.choices.empty()) return;
  say("  window:  unknown; sgf generate needs one of");
  for (const std::string& choice : weights.choices) say("    {}", choice);
}

void print_advice(const FolderSurvey& survey) {
  const FolderAdvice advice = advise(survey);
  if (!advice.can.empty()) say("can be run now:");
  for (const std::string& line : advice.can) say("  {}", line);
  if (!advice.cannot.empty()) say("cannot be run yet:");
  for (const std::string& line : advice.cannot) say("  {}", line);
}

json to_json(const FolderSurvey& survey) {
  json wans = json::array(), files = json::array();
  for (const WanSurvey& wan : survey.wans) {
    json parts = json::array();
    for (const SurveyedPart& part : wan.parts)
      parts.push_back({{"part", part.name},
                       {"state", word_of(part.state)},
                       {"file", part.file.string()},
                       {"bytes", part.bytes},
                       {"content", part.content},
                       {"problem", part.problem},
                       {"get", part.state == PartState::kComplete ? "" : part.downloads}});
    wans.push_back({{"folder", wan.folder.string()}, {"problem", wan.problem}, {"parts", parts}});
  }
  for (const SurveyedWeights& weights : survey.weights)
    files.push_back({{"file", weights.file.string()},
                     {"bytes", weights.bytes},
                     {"content", weights.content},
                     {"problem", weights.problem},
                     {"window", weights.window},
                     {"many_step", weights.is_many_step},
                     {"choices", weights.choices}});
  const FolderAdvice advice = advise(survey);
  return {{"wan_folders", wans}, {"weights", files}, {"can", advice.can}, {"cannot", advice.cannot}};
}

int run_doctor(const DoctorArgs& args) {
  FolderSurvey survey;
  for (const std::string& path : args.paths) {
    FolderSurvey one = survey_folder(path);
    std::ranges::move(one.wans, std::back_inserter(survey.wans));
    std::ranges::move(one.weights, std::back_inserter(survey.weights));
  }
  const bool is_empty = survey.wans.empty() && survey.weights.empty();
  if (args.json) {
    say_json(to_json(survey));
  } else {
    for (const WanSurvey& wan : survey.wans) print_wan(wan);
    for (const SurveyedWeights& weights : survey.weights) print_weights(weights);
    if (is_empty) say("no Wan folder and no weight file (.pt, .pth, .safetensors) in the first four levels");
    say("");
    print_advice(survey);
  }
  return survey.is_broken() || is_empty || advise(survey).can.empty() ? 1 : 0;
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto args = std::make_shared<DoctorArgs>();
  CLI::App* command =
      app.add_subcommand("doctor", "Check folders of Wan weights: what is there, what is missing, what can be run");
  command
      ->add_option("paths", args->paths,
                   "Wan folders, folders of checkpoints, folders that contain them, or weight files")
      ->type_name("PATH")
      ->required();
  command->add_flag("--json", args->json, "result as one JSON object");
  command->footer(
      "Examples:\n"
      "  sgf doctor wan_models/Wan2.1-T2V-1.3B\n"
      "  sgf doctor wan_models checkpoints\n\n"
      "Only headers and the tokenizer are read.\n\n"
      "Exit codes: 0 something can be run, and nothing is broken; 1 something is broken, or nothing can be run.");
  command->callback([args] { exit_with(run_doctor(*args)); });
}

}  // namespace sgf
