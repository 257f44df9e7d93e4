// What raters send back, and the key of a study.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "lab/preference/blind_study.h"
#include "lab/preference/preference_score.h"
#include "lab/preference/rater_answers.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

void read_one_rater(std::string_view input) {
  const char* name = "answers.json";
  const auto path = scratch_file(name, input);
  const auto answers = read_or_refuse(name, [&] { return read_all_answers({path}); });
  if (!answers) return;
  const RaterAnswers& one = answers->front();
  must(one.shown.size() == one.choices.size() && !one.shown.empty(), "a choice for each pair");
  const PreferenceScore score =
      score_preference(*answers, std::vector<bool>(one.shown.size(), true), {.resamples = 100});
  must(score.all.total() + score.open == static_cast<int64_t>(one.shown.size()), "every pair is counted once");
}

void read_key(std::string_view input) {
  const char* name = "key.json";
  const auto path = scratch_file(name, input);
  const auto study = read_or_refuse(name, [&] { return read_blind_study(path); });
  if (!study) return;
  scratch_file(name, to_json(*study).dump());
  must(to_json(read_blind_study(path)) == to_json(*study), "written and read again, a key is equal");
  must(sides_by_key(study->shown(), *study).size() == study->pairs.size(), "a side for each pair");
}

const Registered answers_target("rater_answers", read_one_rater);
const Registered key_target("study_key", read_key);

}  // namespace
}  // namespace sgf::fuzz
