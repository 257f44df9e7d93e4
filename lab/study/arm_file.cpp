#include "lab/study/arm_file.h"

#include "lab/study/arm_kinds.h"
#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/json_file.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/strict_json.h"
#include "sgf/runs/run_folder.h"

#include <algorithm>
#include <array>

namespace sgf {
namespace {

constexpr std::array<std::string_view, 11> kFreeStudyKeys{"train.record_launches",
                                                          "run.device",
                                                          "run.threads",
                                                          "run.attention",
                                                          "train.micro_batch",
                                                          "train.activations",
                                                          "dmd.teacher",
                                                          "train.start_from",
                                                          "dmd.critic",
                                                          "name",
                                                          "description"};

void check_same_config(const std::string& there, const std::string& here, const std::filesystem::path& path) {
  for (const ConfigDifference& d : compare_configs(there, here))
    SGF_CHECK(is_free_study_key(d.key),
              "{}: was made with {} {}, but it is {} now; choose another folder (--out), or remove the file",
              path.string(), d.key, d.before, d.now);
}

std::string text_at(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

void check_belongs(const Study& study, const StudyArm& arm, const nlohmann::json& json,
                   const std::filesystem::path& path) {
  const nlohmann::json now = arm_header(study, arm);
  SGF_CHECK(
      text_at(json, "recipe_sha256") == study.file.sha256,
      "{}: belongs to another recipe ({:.12}, this one is {:.12}); choose another folder (--out), or remove the file",
      path.string(), text_at(json, "recipe_sha256"), study.file.sha256);
  for (const char* key : {"format", "arm", "prompts", "segments"})
    SGF_CHECK(json.contains(key) && json.at(key) == now.at(key), "{}: its {} is {}, expected {}", path.string(), key,
              json.contains(key) ? json.at(key).dump() : "missing", now.at(key).dump());
  check_same_config(text_at(json, "config"), now.at("config").get<std::string>(), path);
}

nlohmann::json read_arm_json(const std::filesystem::path& path) {
  nlohmann::json json = try_read_json_file(path).value_or(nullptr);
  SGF_CHECK(json.is_object(), "{}: is not a complete JSON object; remove the file to evaluate the arm again",
            path.string());
  return json;
}

}  // namespace

nlohmann::json arm_header(const Study& study, const StudyArm& arm) {
  return {{"format", kArmFormat},
          {"recipe_sha256", study.file.sha256},
          {"arm", arm.id()},
          {"prompts",
           {{"seed", study.evaluation().prompt_seed},
            {"first", study.first_prompt()},
            {"count", study.prompts(arm.granularity)}}},
          {"segments", study.segments(arm)},
          {"config", to_yaml(study.config_of(arm))}};
}

std::optional<ArmResult> read_arm(const Study& study, const StudyArm& arm) {
  const std::filesystem::path path = study.scores_of(arm);
  if (!std::filesystem::exists(path)) return std::nullopt;
  ArmResult result{.arm = arm, .json = read_arm_json(path)};
  check_arm_kinds(arm, result.json, path);
  check_belongs(study, arm, result.json, path);
  const auto prompts = static_cast<size_t>(study.prompts(arm.granularity));
  const size_t segments = study.segments(arm).size();
  result.scores = score_table(result.json.value("scores", nlohmann::json()), segments, prompts, path.string());
  for (const nlohmann::json& sink : result.json.value("sinks", nlohmann::json::array()))
    result.sinks[integer_of(sink.at("sink"))] = score_table(sink.at("scores"), 1, prompts, path.string());
  return result;
}

void write_arm(const Study& study, const StudyArm& arm, const nlohmann::json& json) {
  AtomicFile file(study.scores_of(arm));
  file.write(json.dump() + '\n');
  file.commit();
}

bool is_free_study_key(const std::string& key) {
  return key.starts_with("output.") || std::ranges::find(kFreeStudyKeys, key) != kFreeStudyKeys.end();
}

nlohmann::json training_of(const TensorFile& weights) {
  const auto found = weights.metadata.find(kStudyTrainingKey);
  nlohmann::json json =
      found == weights.metadata.end() ? nlohmann::json() : try_parse_json(found->second).value_or(nullptr);
  return json.is_object() ? json : nlohmann::json::object();
}

bool has_weights(const Study& study, const StudyArm& arm) {
  const std::filesystem::path path = study.weights_of(arm);
  if (!std::filesystem::exists(path)) return false;
  const TensorFile file = open_tensor_file(path);
  const auto found = file.metadata.find(kStudyRecipeKey);
  SGF_CHECK(found != file.metadata.end() && found->second == study.file.sha256,
            "{}: belongs to another recipe; choose another folder (--out), or remove the file", path.string());
  if (const std::string config = text_at(training_of(file), "config"); !config.empty())
    check_same_config(config, to_yaml(study.config_of(arm)), path);
  return true;
}

}  // namespace sgf
