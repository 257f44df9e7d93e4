#include "lab/study/study_words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

int64_t pairs_in_favour(const Comparison& c) {
  const bool is_more = study_metric(c.metric).better == Better::kMore;
  return std::ranges::count_if(c.pairs, [&](double d) { return is_more ? d > 0 : d < 0; });
}

std::string verdict_words(const Comparison& c) {
  if (c.verdict == Verdict::kNoDifference) return "no difference seen";
  return fmt::format("SGF {}{}", enum_name(c.verdict), c.holds ? "" : " on its own");
}

// "landmark drift 0.048 against 0.019 (1 - error: -3.0 %)"
std::string far_words(const Closeness& row) {
  const StudyMetric& metric = study_metric(row.metric);
  const std::string scale = metric.whole == Whole::kSame ? words_of(metric.whole) + ": " : "";
  return fmt::format("{} {:.3f} against {:.3f} ({}{})", metric.words, row.student, row.teacher, scale,
                     percent_words(row.relative_difference().value_or(row.raw_relative_difference())));
}

std::string raw_words(const Closeness& row) {
  return fmt::format("{} {:.3f} against {:.3f} ({})", study_metric(row.metric).words, row.student, row.teacher,
                     percent_words(row.raw_relative_difference()));
}

// States what the rule does not count: headline metrics whose measured means are a tenth worse.
std::string passed_over_words(const Study& study, const GranularityFindings& f) {
  std::vector<std::string> raw;
  for (const Closeness& row : f.closeness)
    if (study.is_headline(row.metric) && row.is_raw_worse(study.recipe().analysis.least_difference) &&
        (row.is_close || !does_decide(study, row)))
      raw.push_back(raw_words(row));
  if (raw.empty()) return "";
  return fmt::format(" More than 10 % worse as measured, but not counted by this rule: {}.", fmt::join(raw, "; "));
}

// "+0.031 [0.010, 0.052]"
std::string signed_words(const Interval& i) {
  return i.count == 0 ? "-" : fmt::format("{:+.3f} [{:.3f}, {:.3f}]", i.mean, i.low, i.high);
}

std::string start_words(const std::string& start) {
  if (start == "initial") return "the student it started from";
  return start == "SF twice" ? "SF after as many steps" : fmt::format("{} after the usual steps", start);
}

// "SF twice" -> "SF after twice the steps"
std::string trained_words(const std::string& arm) {
  const size_t twice = arm.find(" twice");
  return twice == std::string::npos ? arm : arm.substr(0, twice) + " after twice the steps";
}

constexpr double kGoodTeacher = 0.9;  // of the truth's share of valid frames

void judge_teacher(const GranularityFindings& f, PreconditionVerdict& verdict) {
  const bool is_known = f.teacher_valid && f.truth_valid;
  const double teacher = f.teacher_valid.value_or(0), truth = f.truth_valid.value_or(0);
  verdict.has_good_teacher = is_known && teacher >= kGoodTeacher * truth;
  verdict.sentences.push_back(is_known ? fmt::format("{}: the teacher's share of valid frames at 1x is {:.3f}, {:.2f} "
                                                     "of the truth's {:.3f} (required: at least {:.1f}).",
                                                     verdict.has_good_teacher ? "Pass" : "FAIL", teacher,
                                                     teacher / truth, truth, kGoodTeacher)
                                       : "Unknown whether the teacher is good: the teacher or the truth is missing.");
}

void judge_closeness(const Study& study, const GranularityFindings& f, PreconditionVerdict& verdict) {
  std::vector<std::string> far;
  bool has_deciding = false;
  for (const Closeness& row : f.closeness) {
    if (!does_decide(study, row)) continue;
    has_deciding = true;
    if (!row.is_close) far.push_back(far_words(row));
  }
  verdict.is_close = has_deciding && far.empty();
  std::string words = f.closeness.empty()
                          ? "Unknown whether the initial student is close to its teacher: an arm is missing."
                      : !has_deciding ? "Unknown whether the initial student is close to its teacher: no headline "
                                        "metric allows relative differences."
                      : far.empty()   ? "Pass: at 1x the initial student is at most 10 % worse than its teacher on the "
                                        "headline metrics (errors compared as 1 - error)."
                                      : fmt::format(
                                            "FAIL: at 1x the initial student is more than 10 % worse than its teacher "
                                              "(errors compared as 1 - error): {}.",
                                            fmt::join(far, "; "));
  verdict.sentences.push_back(std::move(words) + passed_over_words(study, f));
}

void judge_growth(const Study& study, const GranularityFindings& f, PreconditionVerdict& verdict) {
  std::vector<std::string_view> flat;
  bool has_headline = false;
  for (const Growth& row : f.growth) {
    if (!study.is_headline(row.metric)) continue;
    has_headline = true;
    if (!row.does_grow) flat.push_back(study_metric(row.metric).words);
  }
  const std::string times = fmt::format("{}x", fmt::join(study.evaluation().horizons, "x to "));
  verdict.does_grow = has_headline && flat.empty();
  if (!has_headline)
    verdict.sentences.push_back(
        "Unknown whether the initial student forgets: an arm, or a headline metric of an uncaptioned factor, is "
        "missing.");
  else if (flat.empty())
    verdict.sentences.push_back(
        fmt::format("Pass: the initial student's error on the headline's uncaptioned factors grows from {}.", times));
  else
    verdict.sentences.push_back(
        fmt::format("FAIL: from {}, no growth at every step is seen for: {}.", times, fmt::join(flat, ", ")));
}

// Compares an arm with its start, over the metrics of one horizon.
struct ChangeTally {
  size_t metrics = 0, better = 0, worse = 0, headline = 0;
  // Names and differences of headline metrics, and of other metrics that are worse.
  std::vector<std::string> headline_better, headline_worse, others_worse;
};

ChangeTally tally_changes(const Study& study, const std::vector<const Change*>& changes) {
  ChangeTally tally{.metrics = changes.size()};
  for (const Change* c : changes) {
    const bool is_of_headline = study.is_headline(c->metric);
    const std::string words = fmt::format("{} {}", study_metric(c->metric).words, signed_words(c->difference));
    tally.headline += is_of_headline;
    tally.better += c->verdict == Verdict::kBetter;
    tally.worse += c->verdict == Verdict::kWorse;
    if (c->verdict == Verdict::kWorse) (is_of_headline ? tally.headline_worse : tally.others_worse).push_back(words);
    if (c->verdict == Verdict::kBetter && is_of_headline) tally.headline_better.push_back(words);
  }
  return tally;
}

// "better than the student it started from on 2 of 3 headline metrics (...) and worse on none"
std::string change_words(const ChangeTally& t, const std::string& start) {
  const std::string better = fmt::format("{}", fmt::join(t.headline_better, "; "));
  const std::string worse = fmt::format("{}", fmt::join(t.headline_worse, "; "));
  if (better.empty() && worse.empty())
    return fmt::format("not seen to differ from {} on any of {} headline metrics", start, t.headline);
  if (better.empty())
    return fmt::format("WORSE than {} on {} of {} headline metrics ({}) and better on none", start,
                       t.headline_worse.size(), t.headline, worse);
  return fmt::format("better than {} on {} of {} headline metrics ({}) and {}", start, t.headline_better.size(),
                     t.headline, better,
                     worse.empty() ? "worse on none" : fmt::format("WORSE on {} ({})", t.headline_worse.size(), worse));
}

std::vector<const Change*> changes_of(const std::vector<Change>& all, std::string_view arm, std::string_view start,
                                      int64_t length) {
  std::vector<const Change*> changes;
  for (const Change& c : all)
    if (c.arm == arm && c.start == start && c.length == length) changes.push_back(&c);
  return changes;
}

std::string change_sentence(const Study& study, Granularity granularity, const std::vector<const Change*>& changes) {
  const ChangeTally t = tally_changes(study, changes);
  const Change& any = *changes.front();
  return fmt::format(
      "{}, at {}x {} is {}; of all {} metrics, {} are better and {} are worse{}.", words_of(granularity), any.length,
      trained_words(any.arm), change_words(t, start_words(any.start)), t.metrics, t.better, t.worse,
      t.others_worse.empty() ? "" : fmt::format(" (outside the headline: {})", fmt::join(t.others_worse, "; ")));
}

const char* side_words(const Tally& t) {
  if (t.better_holds > 0 && t.worse_holds > 0) return "the evidence is mixed";
  if (t.better_holds > 0) return "this supports the paper's claim";
  if (t.worse_holds > 0) return "this contradicts the paper's claim";
  if (t.better > 0 && t.worse > 0) return "hints in both directions, but no evidence";
  if (t.better > 0) return "a hint for the paper's claim, but no evidence";
  if (t.worse > 0) return "a hint against the paper's claim, but no evidence";
  return "this neither supports nor contradicts the paper's claim";
}

// The number of resamples needed to resolve the smallest p that Holm's correction asks for.
int64_t resamples_needed(const Study& study) {
  const StudyAnalysis& analysis = study.recipe().analysis;
  const auto questions = static_cast<double>(analysis.headline.size() * study.evaluation().horizons.size());
  return static_cast<int64_t>(std::ceil(2 * questions / (1 - analysis.confidence) - 1 - 1e-9));
}

std::vector<std::string> caution_sentences(const Study& study, const GranularityFindings& f) {
  std::vector<std::string> sentences;
  const int64_t resamples = study.recipe().analysis.resamples, needed = resamples_needed(study);
  if (resamples < needed && !f.pairs.empty())
    sentences.push_back(
        fmt::format("{} resamples are too few to answer all questions together: set analysis.resamples to {} or more.",
                    resamples, needed));
  if (f.pairs.size() == 1) sentences.push_back("Only one pair: the spread over seeds is unknown.");
  if (f.pairs.size() == 2 || f.pairs.size() == 3)
    sentences.push_back(fmt::format(
        "{} pairs say little about the spread over seeds: intervals are too narrow if seeds differ more than prompts.",
        f.pairs.size()));
  return sentences;
}

// A warning for verdicts whose preconditions fail.
std::string doubt_words(const Study& study, const GranularityFindings& f) {
  return is_sound(study, f) ? "" : " But not all preconditions of the study hold: see below.";
}

}  // namespace

std::string words_of(Granularity granularity) {
  return granularity == Granularity::kChunkwise ? "chunk-wise" : "frame-wise";
}

std::string words_of(Whole whole) {
  return whole == Whole::kSame ? "1 - error" : whole == Whole::kFrames ? "share" : "none";
}

std::string percent_words(double share) { return std::isfinite(share) ? fmt::format("{:+.1f} %", 100 * share) : "-"; }

std::string words_of(const Interval& i) {
  return i.count == 0 ? "-" : fmt::format("{:.3f} [{:.3f}, {:.3f}]", i.mean, i.low, i.high);
}

std::string sentence_of(Granularity granularity, const Comparison& c) {
  return fmt::format("{}, {} at {}x: {}, SGF - SF = {}; {} of {} pairs in its favour", words_of(granularity),
                     study_metric(c.metric).words, c.length, verdict_words(c), signed_words(c.difference),
                     pairs_in_favour(c), c.pairs.size());
}

Tally tally_of(const Study& study, const GranularityFindings& findings) {
  Tally tally;
  for (const Comparison& c : findings.comparisons) {
    if (!study.is_headline(c.metric) || !study.is_horizon(c.length)) continue;
    ++(c.verdict == Verdict::kBetter ? tally.better : c.verdict == Verdict::kWorse ? tally.worse : tally.none);
    if (c.holds) ++(c.verdict == Verdict::kBetter ? tally.better_holds : tally.worse_holds);
  }
  return tally;
}

std::string sentence_of(Granularity granularity, const Tally& t, int64_t pairs) {
  const int64_t count = t.better + t.worse + t.none;
  const std::string together =
      t.better + t.worse == 0 ? ""
                              : fmt::format(" with Holm's correction for {} questions, {} and {} of these hold:", count,
                                            t.better_holds, t.worse_holds);
  return fmt::format(
      "{}, {} pair{}: of {} headline comparisons, SGF was better in {}, worse in {}, and no difference was seen in "
      "{};{} {}{}.",
      words_of(granularity), pairs, pairs == 1 ? "" : "s", count, t.better, t.worse, t.none, together, side_words(t),
      pairs == 1 && t.better_holds + t.worse_holds > 0 ? ", as far as one pair can show" : "");
}

bool does_decide(const Study& study, const Closeness& closeness) {
  return study.is_headline(closeness.metric) && study_metric(closeness.metric).whole != Whole::kNone;
}

PreconditionVerdict judge_precondition(const Study& study, const GranularityFindings& findings) {
  PreconditionVerdict verdict;
  judge_teacher(findings, verdict);
  judge_closeness(study, findings, verdict);
  judge_growth(study, findings, verdict);
  return verdict;
}

std::vector<std::string> start_sentences(const Study& study, const GranularityFindings& findings) {
  std::vector<std::string> sentences;
  for (const int64_t horizon : study.evaluation().horizons)
    for (const char* arm : {"SF", "SGF"})
      if (const auto changes = changes_of(findings.changes, arm, "initial", horizon); !changes.empty())
        sentences.push_back(change_sentence(study, findings.granularity, changes));
  if (sentences.empty())
    sentences.push_back("Unknown whether SF and SGF are better than the student they started from: an arm is missing.");
  return sentences;
}

bool is_worse_than_start(const Study& study, const GranularityFindings& findings) {
  for (const std::vector<Change>* changes : {&findings.changes, &findings.twice_changes})
    for (const Change& c : *changes)
      if (c.start == "initial" && c.length == 1 && c.verdict == Verdict::kWorse && study.is_headline(c.metric))
        return true;
  return false;
}

std::vector<std::string> twice_sentences(const Study& study, const GranularityFindings& findings) {
  std::vector<std::string> sentences;
  if (study.settings(findings.granularity).twice == 0) return sentences;
  if (findings.updates > 0 && findings.twice_updates > 0)
    sentences.push_back(fmt::format(
        "Twice the steps means {} generator updates instead of {}{}.", findings.twice_updates, findings.updates,
        findings.twice_pairs == 1 ? ", in only one pair: the spread over seeds is unknown" : ""));
  for (const std::string arm : {"SF", "SGF"})
    for (const std::string& start : {std::string("initial"), arm})
      if (const auto changes = changes_of(findings.twice_changes, arm + " twice", start, 1); !changes.empty())
        sentences.push_back(change_sentence(study, findings.granularity, changes));
  for (const int64_t horizon : study.evaluation().horizons)
    if (const auto changes = changes_of(findings.twice_changes, "SGF twice", "SF twice", horizon); !changes.empty())
      sentences.push_back(change_sentence(study, findings.granularity, changes));
  if (sentences.empty()) sentences.push_back("Unknown how twice the steps change SF and SGF: an arm is missing.");
  return sentences;
}

bool is_sound(const Study& study, const GranularityFindings& findings) {
  const PreconditionVerdict precondition = judge_precondition(study, findings);
  return precondition.has_good_teacher && precondition.is_close && precondition.does_grow &&
         !is_worse_than_start(study, findings);
}

std::vector<std::string> conclusions_of(const Study& study, const GranularityFindings& findings) {
  std::vector<std::string> sentences;
  if (!findings.pairs.empty())
    sentences.push_back(sentence_of(findings.granularity, tally_of(study, findings), std::ssize(findings.pairs)) +
                        doubt_words(study, findings));
  else
    sentences.push_back(
        fmt::format("{}: no result yet, since no matched pair is complete.", words_of(findings.granularity)));
  for (const Comparison& c : findings.comparisons)
    if (study.is_headline(c.metric) && study.is_horizon(c.length))
      sentences.push_back(sentence_of(findings.granularity, c) + ".");
  for (const std::string& mismatch : findings.unmatched)
    sentences.push_back(fmt::format("NOT MATCHED, skipped: {}.", mismatch));
  for (const std::string& start : findings.other_starts)
    sentences.push_back(fmt::format("DIFFERENT START: {}.", start));
  for (std::string& caution : caution_sentences(study, findings)) sentences.push_back(std::move(caution));
  if (!findings.missing.empty()) sentences.push_back(fmt::format("Missing: {}.", fmt::join(findings.missing, ", ")));
  return sentences;
}

}  // namespace sgf
