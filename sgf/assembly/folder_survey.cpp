#include "sgf/assembly/folder_survey.h"

#include "sgf/assembly/start_file.h"
#include "sgf/assembly/survey_facts.h"
#include "sgf/assembly/window_source.h"
#include "sgf/core/error.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/path_kind.h"
#include "sgf/files/tensor_file.h"
#include "sgf/runs/checkpoint_store.h"
#include "sgf/runs/run_folder.h"
#include "sgf/weights/lora_file.h"
#include "sgf/weights/weight_folder.h"
#include "sgf/weights/weight_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;
constexpr size_t kMostWeights = 100;

std::string roles_of(const WeightReport& report) {
  std::vector<std::string> roles;
  for (const RoleReport& role : report.roles)
    if (role.dit) roles.push_back(fmt::format("{} ({})", shown_role(role.name), size_of(*role.dit)));
  return fmt::format("{}", fmt::join(roles, ", "));
}

// Networks of the built-in worlds have a size for each window.
void find_window(SurveyedWeights& weights, const DitConfig& network) {
  if (network.in_dim != kWanChannels) return;
  try {
    if (const auto source = find_window_source(weights.file)) {
      weights.config = source->config;
      weights.window = fmt::format("{}, because {}", source->config, source->reason);
      weights.is_many_step = source->is_many_step;
    } else {
      weights.choices = window_choices(network);
    }
  } catch (const ModelQuestion& question) {
    weights.choices = question.choices();
  }
}

bool is_training_run(const fs::path& folder) { return is_run_folder(folder) && is_folder(folder / "checkpoints"); }

bool is_checkpoint(const fs::path& folder) {
  return is_there(folder / "state.json") && is_there(folder / "generator.safetensors");
}

// The networks of a checkpoint are one model: its critic and its optimisers are no students.
SurveyedWeights survey_checkpoint(const fs::path& folder) {
  SurveyedWeights weights = survey_weights(find_start_file(folder).path);
  const fs::path run = folder.parent_path().parent_path();
  if (!weights.dit || !is_run_folder(run)) return weights;
  const std::string config = (run / "config.yaml").string();
  try {
    const StageChoice stage = parse_config(MappedFile::open(config)->text(), config).train.stage;
    weights.is_many_step = stage == StageChoice::kFlowMatching || stage == StageChoice::kTeacherForcing;
    weights.config = config;
    weights.window = fmt::format("{}, because it is the run's", config);
    weights.choices.clear();
  } catch (const Error& error) {
    weights.problem = error.what();
  }
  return weights;
}

// By its newest checkpoint whose sizes are right; hashes are left to the commands that use it.
SurveyedWeights survey_run(const fs::path& run) {
  const CheckpointStore checkpoints(run / "checkpoints");
  SurveyedWeights weights;
  if (const std::optional<int64_t> step = checkpoints.newest()) {
    weights = survey_checkpoint(checkpoints.folder_of(*step));
    weights.content = fmt::format("run, checkpoint of step {}: {}", *step, weights.content);
  } else {
    const std::vector<DamagedCheckpoint> damaged = checkpoints.survey().damaged;
    weights.content = "run without a whole checkpoint";
    if (!damaged.empty()) weights.problem = "its checkpoints are damaged: " + damaged.back().description;
  }
  weights.file = run;
  return weights;
}

// `seen` has the folders looked at, without links: links may form a cycle.
void survey_below(FolderSurvey& survey, const fs::path& folder, int depth, std::set<fs::path>& seen) {
  std::error_code error;
  if (const fs::path real = fs::canonical(folder, error); !error && !seen.insert(real).second) return;
  if (looks_like_wan_folder(folder)) {
    survey.wans.push_back(survey_wan(folder));
    return;
  }
  if (is_training_run(folder)) return survey.weights.push_back(survey_run(folder));
  if (is_checkpoint(folder)) return survey.weights.push_back(survey_checkpoint(folder));
  std::vector<fs::path> entries;
  error.clear();
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  std::ranges::sort(entries);
  for (const fs::path& entry : entries) {
    if (entry.filename().string().starts_with('.')) continue;
    if (is_folder(entry) && depth < kDeepest) survey_below(survey, entry, depth + 1, seen);
    if (!is_folder(entry) && is_weight_file(entry) && survey.weights.size() < kMostWeights)
      survey.weights.push_back(survey_weights(entry));
  }
}

}  // namespace

bool FolderSurvey::is_broken() const {
  return std::ranges::any_of(wans, &WanSurvey::is_broken) ||
         std::ranges::any_of(weights, [](const SurveyedWeights& file) { return !file.problem.empty(); });
}

SurveyedWeights survey_weights(const fs::path& path) {
  SurveyedWeights weights{.file = path, .content = {}, .problem = {}, .config = {}, .window = {}, .choices = {}};
  try {
    SGF_CHECK(is_folder(path) || is_file(path), "{}: is not a regular file, expected a weight file", path.string());
    const TensorFile file = open_tensor_file(path);
    const WeightReport report = report_weights(file, path);
    weights.bytes = bytes_of(file);
    const auto role = std::ranges::find_if(report.roles, [](const RoleReport& r) { return r.dit.has_value(); });
    const bool is_dit = role != report.roles.end();
    if (is_dit) weights.dit = role->dit->config;
    weights.content = is_dit ? fmt::format("{}; {}", roles_of(report), dtypes_of(file)) : report.written_by;
    weights.problem = report.problem;
    if (!is_dit && is_lora(file)) weights.content = describe(open_lora(path));
    if (!is_dit || !weights.problem.empty()) return weights;
    weights.problem = faults_of(*role->dit);
    if (weights.problem.empty()) find_window(weights, *weights.dit);
  } catch (const Error& error) {
    weights.bytes = bytes_of(path);
    weights.problem = error.what();
  }
  return weights;
}

FolderSurvey survey_folder(const fs::path& path) {
  SGF_CHECK(is_there(path), "{}: no such file or folder", path.string());
  FolderSurvey survey;
  std::set<fs::path> seen;
  if (is_folder(path))
    survey_below(survey, path, 0, seen);
  else
    survey.weights.push_back(survey_weights(path));
  return survey;
}

}  // namespace sgf
