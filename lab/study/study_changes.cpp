#include "lab/study/study_changes.h"

#include "sgf/core/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sgf {
namespace {

const PromptValues& values_at(const Study& study, const ArmResult& run, const std::string& metric, int64_t length) {
  const std::vector<int64_t> segments = study.segments(run.arm);
  const auto segment = std::ranges::find(segments, length) - segments.begin();
  return run.scores.find(metric)->second.at(static_cast<size_t>(segment));
}

std::string hash_at(const nlohmann::json& json, const char* part, const char* key) {
  return json.value(part, nlohmann::json::object()).value(key, "");
}

}  // namespace

Verdict verdict_of(const Interval& difference, Better better, double least) {
  if (better == Better::kNeither || std::abs(difference.mean) < least) return Verdict::kNoDifference;
  const bool is_more = difference.is_above(0), is_less = difference.is_below(0);
  if (!is_more && !is_less) return Verdict::kNoDifference;
  return is_more == (better == Better::kMore) ? Verdict::kBetter : Verdict::kWorse;
}

std::vector<bool> answered_together(const std::vector<double>& p, double level) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return p[i]; });
  std::vector<bool> answered(p.size(), false);
  for (size_t i = 0; i < order.size(); ++i) {
    if (p[order[i]] > level / static_cast<double>(order.size() - i)) break;
    answered[order[i]] = true;
  }
  return answered;
}

std::vector<Change> changes_since(const ArmRuns& start, const ArmRuns& arm, const std::vector<int64_t>& lengths,
                                  const Study& study, const Bootstrap& bootstrap) {
  std::vector<Change> changes;
  if (start.runs.empty() || arm.runs.empty()) return changes;
  for (const StudyMetric& metric : study_metrics()) {
    if (metric.better == Better::kNeither) continue;
    const std::string name(metric.name);
    for (const int64_t length : lengths) {
      std::vector<PromptValues> differences;
      for (size_t i = 0; i < arm.runs.size(); ++i)
        differences.push_back(
            paired_difference(values_at(study, *arm.runs[i], name, length),
                              values_at(study, *start.runs.at(start.runs.size() == 1 ? 0 : i), name, length)));
      const Interval difference = bootstrap.of(differences);
      changes.push_back({arm.words, start.words, name, length, difference,
                         verdict_of(difference, metric.better, study.recipe().analysis.least_difference)});
    }
  }
  return changes;
}

std::string other_start_words(const ArmResult& run, const ArmResult& initial) {
  const std::string start = hash_at(run.json, "training", "student_sha256");
  const std::string evaluated = hash_at(initial.json, "weights", "sha256");
  if (start.empty() || evaluated.empty() || start == evaluated) return "";
  return fmt::format("{} started from other weights than those of {}, so they are not compared", run.arm.id(),
                     initial.arm.id());
}

}  // namespace sgf
