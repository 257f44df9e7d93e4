#include "lab/study/arm_kinds.h"

#include "sgf/core/error.h"

#include <array>
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

}  // namespace sgf
