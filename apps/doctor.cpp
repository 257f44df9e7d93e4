// `sgf doctor DIR`: what is in a folder of weights, what is missing, and which commands it is good for.
#include "apps/commands.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/assembly/folder_survey.h"
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

// What is there to combine: the first complete folder and student of each kind stand for the others.
struct Kit {
  const WanSurvey* texts = nullptr;          // a folder with text encoder, tokenizer and VAE
  const WanSurvey* base = nullptr;           // a folder with a DiT
  const WanSurvey* teacher = nullptr;        // the largest DiT
  const SurveyedWeights* student = nullptr;  // a student whose window is known, if there is one
  const SurveyedWeights* start = nullptr;    // what training can start from: a many-step start, else the student
};

Kit kit_of(const FolderSurvey& survey) {
  Kit kit;
  for (const WanSurvey& wan : survey.wans) {
    if (!kit.texts && wan.gives_text_and_video()) kit.texts = &wan;
    if (!wan.has("DiT") || !wan.dit) continue;
    if (!kit.base && wan.gives_text_and_video()) kit.base = &wan;
    if (!kit.teacher || wan.dit->dim > kit.teacher->dit->dim) kit.teacher = &wan;
  }
  for (const SurveyedWeights& weights : survey.weights) {
    if (!weights.is_dit || !weights.problem.empty()) continue;
    if (weights.is_many_step) {
      if (!kit.start) kit.start = &weights;
      continue;
    }
    const bool is_better = kit.student && kit.student->window.empty() && !weights.window.empty();
    if (!kit.student || is_better) kit.student = &weights;
  }
  if (!kit.start) kit.start = kit.student;
  return kit;
}

std::string config_for(const SurveyedWeights& student) { return student.window.empty() ? " --config NAME" : ""; }

struct Advice {
  std::vector<std::string> can, cannot;
};

Advice advice_for(const FolderSurvey& survey) {
  const Kit kit = kit_of(survey);
  Advice advice;
  if (kit.student && kit.texts)
    advice.can.push_back(fmt::format("sgf generate --model {}{} --wan {} --prompt \"A red panda rides a bicycle.\"",
                                     shell_argument(kit.student->file.string()), config_for(*kit.student),
                                     shell_argument(kit.texts->folder.string())));
  else
    advice.cannot.push_back(fmt::format(
        "sgf generate: {}", !kit.texts
                                ? "needs a Wan folder with text encoder, tokenizer and VAE"
                                : "needs a causal few-step student: hf download JunhaoZhuang/Self_Gradient_Forcing "
                                  "chunkwise/ar/model.pt --local-dir checkpoints"));
  if (kit.base)
    advice.can.push_back(fmt::format(
        "sgf sample --model {} --mode at-once --solver unipc --prompt \"A red panda rides a bicycle.\" --out samples",
        shell_argument(kit.base->folder.string())));
  if (kit.texts)
    advice.can.push_back(
        fmt::format("sgf text \"A red panda rides a bicycle.\" --wan {}", shell_argument(kit.texts->folder.string())));
  if (kit.start && kit.texts && kit.teacher)
    advice.can.push_back(
        fmt::format("sgf train PRESET --set data.wan={} --set data.prompts=prompts.txt --set train.start_from={} --set "
                    "dmd.teacher={}",
                    shell_argument(kit.texts->folder.string()), shell_argument(kit.start->file.string()),
                    shell_argument(kit.teacher->folder.string())));
  else
    advice.cannot.emplace_back(
        "sgf train: needs a teacher (the DiT of a Wan folder), text encoder and VAE, and a student to start from");
  return advice;
}

void print_advice(const FolderSurvey& survey) {
  const Advice advice = advice_for(survey);
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
  const Advice advice = advice_for(survey);
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
  return survey.is_broken() || is_empty || advice_for(survey).can.empty() ? 1 : 0;
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto args = std::make_shared<DoctorArgs>();
  CLI::App* command =
      app.add_subcommand("doctor", "Say what a folder of Wan weights has, what is missing, and what you can run");
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
