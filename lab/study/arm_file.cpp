#include "lab/study/arm_file.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/json_file.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/strict_json.h"
#include "sgf/runs/run_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>

namespace sgf {
namespace {

// Throws if a part of a file is missing or has the wrong type.
class KindCheck {
 public:
  explicit KindCheck(const std::filesystem::path& path) : path_(path.string()) {}

  enum class Kind { kText, kNumber, kObject, kList };
  using Fields = std::initializer_list<std::pair<const char*, Kind>>;

  void must_have(const nlohmann::json& json, const std::string& where, Fields fields) const {
    for (const auto& [key, kind] : fields) {
      SGF_CHECK(json.contains(key), "{}: it lacks {}{}{}", path_, where, key, kRemedy);
      check_kind(json.at(key), where + key, kind);
    }
  }
  void may_have(const nlohmann::json& json, const std::string& where, Fields fields) const {
    for (const auto& [key, kind] : fields)
      if (json.contains(key)) check_kind(json.at(key), where + key, kind);
  }
  void rows_have(const nlohmann::json& json, const char* list, Fields fields) const {
    for (const nlohmann::json& row : json.value(list, nlohmann::json::array())) {
      check_kind(row, fmt::format("row of {}", list), Kind::kObject);
      must_have(row, fmt::format("{}.", list), fields);
    }
  }

 private:
  static constexpr const char* kRemedy = "; remove the file to evaluate the arm again";

  static bool is_of(const nlohmann::json& json, Kind kind) {
    return kind == Kind::kText     ? json.is_string()
           : kind == Kind::kNumber ? json.is_number()
           : kind == Kind::kObject ? json.is_object()
                                   : json.is_array();
  }
  void check_kind(const nlohmann::json& json, const std::string& what, Kind kind) const {
    constexpr std::array kNames{"a string", "a number", "an object", "an array"};
    SGF_CHECK(is_of(json, kind), "{}: its {} is a {}, expected {}{}", path_, what, json.type_name(),
              kNames[static_cast<size_t>(kind)], kRemedy);
  }

  std::string path_;
};

// A pair is matched by the training facts of its two arms, which are therefore required.
void check_training(const KindCheck& kinds, const nlohmann::json& json) {
  using enum KindCheck::Kind;
  kinds.must_have(json, "", {{"training", kObject}});
  kinds.must_have(json.at("training"), "training.",
                  {{"config", kText}, {"exits_sha256", kText}, {"student_sha256", kText}, {"teacher_sha256", kText}});
  kinds.may_have(json.at("training"), "training.",
                 {{"steps", kNumber}, {"seconds", kNumber}, {"generator_updates", kNumber}});
}

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

void check_arm_kinds(const StudyArm& arm, const nlohmann::json& json, const std::filesystem::path& path) {
  using enum KindCheck::Kind;
  const KindCheck kinds(path);
  kinds.must_have(json, "", {{"config", kText}});
  kinds.may_have(json, "",
                 {{"device", kText},
                  {"seconds", kNumber},
                  {"training", kObject},
                  {"weights", kObject},
                  {"recovery", kList},
                  {"probe", kList},
                  {"sinks", kList}});
  if (json.contains("weights")) kinds.may_have(json.at("weights"), "weights.", {{"file", kText}, {"sha256", kText}});
  kinds.rows_have(json, "sinks", {{"sink", kNumber}, {"scores", kObject}});
  kinds.rows_have(json, "recovery", {{"exit", kNumber}});
  kinds.rows_have(json, "probe", {{"layer", kText}});
  if (arm.is_trained()) check_training(kinds, json);
}

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
