#include "lab/study/train_arm.h"

#include "lab/study/arm_file.h"
#include "sgf/assembly/start_file.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/bundled.h"
#include "sgf/files/json_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/sha256.h"
#include "sgf/files/tensors.h"
#include "sgf/runs/checkpoint_store.h"
#include "sgf/runs/metrics_log.h"
#include "sgf/training/planning/recipe_plan.h"
#include "sgf/training/update_schedule.h"

#include <ATen/ATen.h>

#include <chrono>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path seconds_file(const fs::path& run) { return run / "study_seconds.json"; }

// Total over all starts of the run.
double seconds_spent(const fs::path& run) {
  const Json json = try_read_json_file(seconds_file(run)).value_or(nullptr);
  return json.is_number() ? json.get<double>() : 0;
}

void note_seconds(const fs::path& run, double seconds) {
  AtomicFile file(seconds_file(run));
  file.write(Json(seconds).dump() + '\n');
  file.commit();
}

fs::path sources_file(const fs::path& run) { return run.string() + ".sources.json"; }

// Records the initial weights before the run starts, since files may change later.
void note_sources(const Config& config, const fs::path& run) {
  if (fs::exists(run) && fs::exists(sources_file(run))) return;
  AtomicFile file(sources_file(run));
  file.write(Json{{"student_sha256", sha256_of_file(find_start_file(config.train.start_from).path)},
                  {"teacher_sha256", sha256_of_file(find_start_file(config.dmd.teacher).path)}}
                 .dump() +
             '\n');
  file.commit();
}

// A hash over the exit steps of all generator updates, from the run's metrics.
std::string exits_hash(const fs::path& run) {
  Sha256 hash;
  for (const MetricsRow& row : read_metrics(run / "metrics.jsonl").rows)
    if (const double* exit = row.find("exit_step")) hash.update(fmt::format("{} {:g}\n", row.step, *exit));
  return hash.hex();
}

Json facts_of_run(const Study& study, const StudyArm& arm) {
  const Config config = study.config_of(arm);
  const fs::path run = study.run_of(arm);
  Json facts{{"steps", config.train.steps},
             {"generator_updates", update_schedule(config.dmd).counts_after(config.train.steps).generator},
             {"seconds", seconds_spent(run)},
             {"exits_sha256", exits_hash(run)},
             {"config", std::string(MappedFile::open(run / "config.yaml")->text())}};
  facts.update(read_json_file(sources_file(run)));
  return facts;
}

// The recipe that the run was started for; empty if there is no run.
std::string recipe_of_run(const fs::path& run) {
  const Json starts = try_read_json_file(run / "facts.json").value_or(nullptr);
  if (!starts.is_array() || starts.empty() || !starts.back().is_object()) return "";
  const Json recipe = starts.back().value("study_recipe", Json());
  return recipe.is_string() ? recipe.get<std::string>() : "";
}

void check_recipe(const Study& study, const fs::path& run) {
  const std::string recipe = recipe_of_run(run);
  SGF_CHECK(recipe.empty() || recipe == study.file.sha256,
            "{}: was started for another recipe ({:.12}, this one is {:.12}); choose another folder (--out), or remove "
            "the run",
            run.string(), recipe, study.file.sha256);
}

void check_is_there(const std::string& key, const std::string& path) {
  SGF_CHECK(fs::exists(find_bundled(path)),
            "{}: {} does not exist (relative to {}); make it first, or skip its arms with --granularity or --arms", key,
            path, fs::current_path().string());
}

void keep_weights(const Study& study, const StudyArm& arm) {
  const TensorFile file = open_start_weights(study.run_of(arm)).file;
  NamedTensors tensors;
  for (const TensorEntry& entry : file.entries)
    tensors.emplace_back(entry.name, map_tensor(file, entry).to(at::kBFloat16));
  std::map<std::string, std::string> metadata = file.metadata;
  metadata[kStudyRecipeKey] = study.file.sha256;
  metadata[kStudyTrainingKey] = facts_of_run(study, arm).dump();
  save_tensors(study.weights_of(arm), tensors, metadata);
}

}  // namespace

void check_start(const Study& study, const StudyArm& arm) {
  const StudyGranularity& settings = study.settings(arm.granularity);
  const std::string name(enum_name(arm.granularity));
  if (arm.is_trained() || arm.kind == ArmKind::kInitial) check_is_there(name + ".student", settings.student);
  if (arm.is_trained() || arm.kind == ArmKind::kTeacher) check_is_there(name + ".teacher", settings.teacher);
  if (!arm.is_trained()) return;
  check_recipe(study, study.run_of(arm));
  const std::vector<std::string> needs = unmet_needs(study.config_of(arm));
  SGF_CHECK(needs.empty(), "{}: {}", arm.id(), needs.front());
}

TrainResult train_arm(const Study& study, const StudyArm& arm, const std::string& build, ProgressMode progress,
                      const ProgressOutput& output) {
  const fs::path run = study.run_of(arm);
  fs::create_directories(run.parent_path());
  check_recipe(study, run);
  const double before = seconds_spent(run);
  note_sources(study.config_of(arm), run);
  const auto begin = std::chrono::steady_clock::now();
  const TrainResult result = run_training({.config = study.config_of(arm),
                                           .out = run,
                                           .resume = true,
                                           .facts = {{"build", build}, {"study_recipe", study.file.sha256}},
                                           .progress = progress,
                                           .output = output});
  note_seconds(run, before + std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (result.end == TrainEnd::kDone) keep_weights(study, arm);
  return result;
}

fs::path weights_of_arm(const Study& study, const StudyArm& arm) {
  const StudyGranularity& settings = study.settings(arm.granularity);
  if (arm.kind == ArmKind::kTruth) return {};
  if (arm.kind == ArmKind::kTeacher) return find_start_file(settings.teacher).path;
  if (arm.kind == ArmKind::kInitial) return find_start_file(settings.student).path;
  SGF_CHECK(has_weights(study, arm), "{} is not trained yet: run sgf study without --only evaluate", arm.id());
  return study.weights_of(arm);
}

Json training_facts(const Study& study, const StudyArm& arm) {
  Json json = training_of(open_tensor_file(study.weights_of(arm)));
  SGF_CHECK(!json.empty(), "{}: lacks the metadata of its training", study.weights_of(arm).string());
  return json;
}

fs::path last_state_of(const Study& study, const StudyArm& arm) {
  const int64_t steps = steps_made(study.run_of(arm));
  const bool is_last = steps > 0 && steps == study.steps_of(arm);
  return is_last ? CheckpointStore(study.run_of(arm) / "checkpoints").folder_of(steps) : fs::path();
}

void drop_states(const Study& study, const StudyArm& arm) { fs::remove_all(study.run_of(arm) / "checkpoints"); }

}  // namespace sgf
