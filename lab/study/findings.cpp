#include "lab/study/findings.h"

#include "sgf/core/error.h"
#include "sgf/runs/run_folder.h"

#include <algorithm>
#include <iterator>

namespace sgf {
namespace {

struct MatchedPair {
  const ArmResult* sf = nullptr;
  const ArmResult* sgf = nullptr;

  bool is_whole() const { return sf != nullptr && sgf != nullptr; }
};

// The runs of an arm whose pair the other arm has too.
ArmRuns runs_of_pairs(const ArmRuns& arm, const ArmRuns& other) {
  ArmRuns runs{arm.words, {}};
  for (const ArmResult* run : arm.runs)
    for (const ArmResult* beside : other.runs)
      if (run->arm.pair == beside->arm.pair) runs.runs.push_back(run);
  return runs;
}

const ArmResult* find_arm(const std::vector<ArmResult>& results, const StudyArm& arm) {
  const auto found = std::ranges::find(results, arm, &ArmResult::arm);
  return found == results.end() ? nullptr : &*found;
}

int64_t updates_of(const MatchedPair& pair) {
  const ArmResult* run = pair.sf != nullptr ? pair.sf : pair.sgf;
  const nlohmann::json training = run == nullptr ? nlohmann::json() : run->json.value("training", nlohmann::json());
  return training.is_object() ? training.value("generator_updates", int64_t{0}) : 0;
}

// Describes the mismatch of two arms of a pair; empty if they match.
std::string mismatch_of(const MatchedPair& pair) {
  const auto fact_of = [](const ArmResult* arm, const char* fact) {
    return arm->json.at("training").at(fact).get<std::string>();
  };
  for (const ConfigDifference& d : compare_configs(fact_of(pair.sf, "config"), fact_of(pair.sgf, "config")))
    if (!is_free_study_key(d.key) && d.key != "dmd.boundary")
      return fmt::format("{}: {} is {} in one arm and {} in the other", pair.sf->arm.id(), d.key, d.before, d.now);
  for (const char* fact : {"exits_sha256", "student_sha256", "teacher_sha256"})
    if (fact_of(pair.sf, fact) != fact_of(pair.sgf, fact))
      return fmt::format("{} and {}: {} differs", pair.sf->arm.id(), pair.sgf->arm.id(), fact);
  return "";
}

// Builds the findings of one granularity, part by part.
class Finder {
 public:
  Finder(const Study& study, Granularity granularity, const std::vector<StudyArm>& planned,
         const std::vector<ArmResult>& results)
      : study_(study),
        results_(results),
        bootstrap_({.resamples = study.recipe().analysis.resamples,
                    .confidence = study.recipe().analysis.confidence,
                    .seed = static_cast<uint64_t>(study.recipe().analysis.seed)},
                   study.prompts(granularity)) {
    found_.granularity = granularity;
    truth_ = find_arm(results, {granularity, ArmKind::kTruth});
    teacher_ = find_arm(results, {granularity, ArmKind::kTeacher});
    initial_ = find_arm(results, {granularity, ArmKind::kInitial});
    for (const StudyArm& arm : planned) {
      if (arm.granularity != granularity) continue;
      if (find_arm(results, arm) == nullptr) found_.missing.push_back(arm.id());
      if (arm.kind == ArmKind::kSf) arm.is_twice ? take_twice(arm) : take_pair(arm);
    }
  }

  GranularityFindings all() {
    compare();
    draw_curves();
    look_at_starts();
    look_at_twice(sf_, sf_twice_);
    look_at_twice(sgf_, sgf_twice_);
    add_twice_changes(runs_of_pairs(sf_twice_, sgf_twice_), runs_of_pairs(sgf_twice_, sf_twice_));
    look_at_precondition();
    look_at_sinks();
    return std::move(found_);
  }

 private:
  // The existing arms of a pair; empty if its two arms do not match.
  MatchedPair find_pair(const StudyArm& sf) {
    StudyArm sgf = sf;
    sgf.kind = ArmKind::kSgf;
    const MatchedPair pair{find_arm(results_, sf), find_arm(results_, sgf)};
    const std::string mismatch = pair.is_whole() ? mismatch_of(pair) : "";
    if (mismatch.empty()) return pair;
    found_.unmatched.push_back(mismatch);
    return {};
  }

  void take_pair(const StudyArm& sf) {
    ++found_.planned_pairs;
    const MatchedPair pair = find_pair(sf);
    take_run(pair.sf, sf_);
    take_run(pair.sgf, sgf_);
    found_.updates = std::max(found_.updates, updates_of(pair));
    if (!pair.is_whole()) return;
    pairs_.push_back(pair);
    found_.pairs.push_back(sf.pair);
  }

  void take_twice(const StudyArm& sf) {
    const MatchedPair pair = find_pair(sf);
    take_run(pair.sf, sf_twice_);
    take_run(pair.sgf, sgf_twice_);
    found_.twice_updates = std::max(found_.twice_updates, updates_of(pair));
    found_.twice_pairs += pair.is_whole();
  }

  // Comparing a run with its start does not need the other run of its pair.
  void take_run(const ArmResult* run, ArmRuns& side) {
    if (run == nullptr || initial_ == nullptr) return;
    if (const std::string words = other_start_words(*run, *initial_); !words.empty())
      found_.other_starts.push_back(words);
    else
      side.runs.push_back(run);
  }

  const std::vector<int64_t>& lengths() const { return study_.evaluation().segments; }

  size_t segment_of(int64_t length) const {
    return static_cast<size_t>(std::ranges::find(lengths(), length) - lengths().begin());
  }

  std::vector<PromptValues> values_of(const ArmResult* MatchedPair::*side, const std::string& metric,
                                      size_t segment) const {
    std::vector<PromptValues> values;
    for (const MatchedPair& pair : pairs_) values.push_back((pair.*side)->scores.find(metric)->second[segment]);
    return values;
  }

  Comparison compare(const StudyMetric& metric, size_t segment) const {
    const std::string name(metric.name);
    const std::vector<PromptValues> sf = values_of(&MatchedPair::sf, name, segment);
    const std::vector<PromptValues> sgf = values_of(&MatchedPair::sgf, name, segment);
    std::vector<PromptValues> differences;
    Comparison c{.metric = name, .length = lengths()[segment], .sf = bootstrap_.of(sf), .sgf = bootstrap_.of(sgf)};
    for (size_t i = 0; i < sf.size(); ++i) {
      differences.push_back(paired_difference(sgf[i], sf[i]));
      c.pairs.push_back(mean_of_values(differences.back()));
    }
    c.difference = bootstrap_.of(differences);
    c.verdict = verdict_of(c.difference, metric.better, study_.recipe().analysis.least_difference);
    return c;
  }

  void compare() {
    if (pairs_.empty()) return;
    for (const StudyMetric& metric : study_metrics())
      for (size_t segment = 0; segment < lengths().size(); ++segment)
        found_.comparisons.push_back(compare(metric, segment));
    ask_together();
  }

  void ask_together() {
    std::vector<Comparison*> headline;
    std::vector<double> p;
    for (Comparison& c : found_.comparisons)
      if (study_.is_headline(c.metric) && study_.is_horizon(c.length))
        headline.push_back(&c), p.push_back(c.difference.p);
    const std::vector<bool> answered = answered_together(p, 1 - study_.recipe().analysis.confidence);
    for (size_t i = 0; i < headline.size(); ++i)
      headline[i]->holds = answered[i] && headline[i]->verdict != Verdict::kNoDifference;
  }

  ArmCurve curve_of(const ArmRuns& arm, const std::string& metric) const {
    ArmCurve curve{.arm = arm.words, .metric = metric, .lengths = lengths()};
    for (size_t segment = 0; segment < lengths().size(); ++segment) {
      std::vector<PromptValues> values;
      for (const ArmResult* run : arm.runs) values.push_back(run->scores.find(metric)->second[segment]);
      curve.values.push_back(bootstrap_.of(values));
    }
    return curve;
  }

  void draw_curves() {
    ArmRuns truth{"truth", {truth_}}, initial{"initial", {initial_}}, sf{"SF", {}}, sgf{"SGF", {}};
    for (const MatchedPair& pair : pairs_) sf.runs.push_back(pair.sf), sgf.runs.push_back(pair.sgf);
    for (const StudyMetric& metric : study_metrics())
      for (const ArmRuns* arm : {&truth, &initial, &sf, &sgf})
        if (!arm->runs.empty() && arm->runs.front() != nullptr)
          found_.curves.push_back(curve_of(*arm, std::string(metric.name)));
  }

  void look_at_starts() {
    const ArmRuns initial{"initial", {initial_}};
    for (const ArmRuns* side : {&sf_, &sgf_})
      std::ranges::copy(changes_since(initial, *side, study_.evaluation().horizons, study_, bootstrap_),
                        std::back_inserter(found_.changes));
  }

  // Runs of usual length and of twice the steps are compared only for the same pairs.
  void look_at_twice(const ArmRuns& all_usual, const ArmRuns& twice) {
    const ArmRuns usual = runs_of_pairs(all_usual, twice), initial{"initial", {initial_}};
    if (twice.runs.empty()) return;
    if (found_.twice_curves.empty()) draw_beside_twice(initial);
    draw_beside_twice(usual);
    draw_beside_twice(twice);
    add_twice_changes(initial, twice);
    if (usual.runs.size() == twice.runs.size()) add_twice_changes(usual, twice);
  }

  void add_twice_changes(const ArmRuns& start, const ArmRuns& arm) {
    std::ranges::copy(changes_since(start, arm, study_.evaluation().horizons, study_, bootstrap_),
                      std::back_inserter(found_.twice_changes));
  }

  void draw_beside_twice(const ArmRuns& arm) {
    if (arm.runs.empty()) return;
    for (const StudyMetric& metric : study_metrics())
      found_.twice_curves.push_back(curve_of(arm, std::string(metric.name)));
  }

  // Over one training length.
  static std::optional<double> valid_share(const ArmResult* arm) {
    return arm == nullptr ? std::nullopt : std::optional(mean_of_values(arm->scores.find("valid")->second[0]));
  }

  void look_at_precondition() {
    found_.teacher_valid = valid_share(teacher_);
    found_.truth_valid = valid_share(truth_);
    if (initial_ == nullptr) return;
    for (const StudyMetric& metric : study_metrics()) {
      const std::string name(metric.name);
      const PromptValues& student = initial_->scores.find(name)->second[0];
      if (teacher_ != nullptr && metric.better != Better::kNeither)
        found_.closeness.push_back(closeness_of(metric, mean_of_values(student),
                                                mean_of_values(teacher_->scores.find(name)->second[0]),
                                                study_.recipe().analysis.least_difference));
      if (truth_ != nullptr && metric.is_uncaptioned) found_.growth.push_back(growth(name));
    }
  }

  Growth growth(const std::string& metric) const {
    Growth growth{.metric = metric, .does_grow = true};
    PromptValues before;
    for (const int64_t horizon : study_.evaluation().horizons) {
      const PromptValues& student = initial_->scores.find(metric)->second[segment_of(horizon)];
      const PromptValues& truth = truth_->scores.find(metric)->second[segment_of(horizon)];
      growth.student.push_back(mean_of_values(student));
      growth.truth.push_back(mean_of_values(truth));
      PromptValues excess = paired_difference(student, truth);
      if (!before.empty()) growth.steps.push_back(bootstrap_.of({paired_difference(excess, before)}));
      before = std::move(excess);
    }
    for (const Interval& step : growth.steps) growth.does_grow = growth.does_grow && step.is_above(0);
    growth.does_grow = growth.does_grow && !growth.steps.empty();
    return growth;
  }

  void look_at_sinks() {
    for (const ArmResult& result : results_) {
      if (result.arm.granularity != found_.granularity) continue;
      for (const auto& [sink, scores] : result.sinks) {
        SinkFinding row{.arm = result.arm.id(), .sink = sink};
        for (const std::string& metric : study_.recipe().analysis.headline)
          row.headline.push_back(bootstrap_.of({scores.find(metric)->second[0]}));
        found_.sinks.push_back(std::move(row));
      }
    }
  }

  const Study& study_;
  const std::vector<ArmResult>& results_;
  Bootstrap bootstrap_;
  const ArmResult* truth_ = nullptr;
  const ArmResult* teacher_ = nullptr;
  const ArmResult* initial_ = nullptr;
  std::vector<MatchedPair> pairs_;
  ArmRuns sf_{"SF", {}}, sgf_{"SGF", {}};
  ArmRuns sf_twice_{"SF twice", {}}, sgf_twice_{"SGF twice", {}};
  GranularityFindings found_;
};

}  // namespace

GranularityFindings find_out(const Study& study, Granularity granularity, const std::vector<StudyArm>& planned,
                             const std::vector<ArmResult>& results) {
  return Finder(study, granularity, planned, results).all();
}

}  // namespace sgf
