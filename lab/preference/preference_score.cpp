#include "lab/preference/preference_score.h"

#include "sgf/core/philox.h"

#include <algorithm>
#include <array>

namespace sgf {
namespace {

constexpr size_t kVerdicts = 3;

using VerdictCounts = std::array<double, kVerdicts>;

PairVerdict verdict_of(RaterChoice choice, bool a_is_left) {
  if (choice == RaterChoice::kSame) return PairVerdict::kSame;
  return (choice == RaterChoice::kLeft) == a_is_left ? PairVerdict::kGood : PairVerdict::kBad;
}

void add(GsbCount& count, PairVerdict verdict) {
  count.good += verdict == PairVerdict::kGood ? 1 : 0;
  count.same += verdict == PairVerdict::kSame ? 1 : 0;
  count.bad += verdict == PairVerdict::kBad ? 1 : 0;
}

void add(GsbCount& count, const GsbCount& more) {
  count.good += more.good;
  count.same += more.same;
  count.bad += more.bad;
}

// Pairs that every rater answered: agreement uses only these.
std::vector<size_t> answered_by_all(const PairVerdictTable& verdicts) {
  std::vector<size_t> pairs;
  for (size_t p = 0; p < verdicts.front().size(); ++p)
    if (std::ranges::all_of(verdicts, [&](const auto& row) { return row[p].has_value(); })) pairs.push_back(p);
  return pairs;
}

size_t verdict_index(const std::optional<PairVerdict>& verdict) { return static_cast<size_t>(*verdict); }

// The share of agreeing answers over all pairs of raters.
double raw_agreement(const PairVerdictTable& verdicts, const std::vector<size_t>& pairs) {
  const auto raters = static_cast<double>(verdicts.size());
  double sum = 0;
  for (const size_t p : pairs) {
    VerdictCounts counts{};
    for (const auto& row : verdicts) counts[verdict_index(row[p])] += 1;
    for (const double count : counts) sum += count * (count - 1);
  }
  return sum / (raters * (raters - 1) * static_cast<double>(pairs.size()));
}

// The share of each verdict of one rater.
VerdictCounts shares_of(const std::vector<std::optional<PairVerdict>>& row, const std::vector<size_t>& pairs) {
  VerdictCounts shares{};
  for (const size_t p : pairs) shares[verdict_index(row[p])] += 1 / static_cast<double>(pairs.size());
  return shares;
}

// Agreement by chance: Cohen uses each rater's own shares, Fleiss the mean shares.
double chance_agreement(const PairVerdictTable& verdicts, const std::vector<size_t>& pairs) {
  double chance = 0;
  if (verdicts.size() == 2) {
    const VerdictCounts first = shares_of(verdicts[0], pairs), second = shares_of(verdicts[1], pairs);
    for (size_t v = 0; v < kVerdicts; ++v) chance += first[v] * second[v];
    return chance;
  }
  VerdictCounts mean{};
  for (const auto& row : verdicts) {
    const VerdictCounts shares = shares_of(row, pairs);
    for (size_t v = 0; v < kVerdicts; ++v) mean[v] += shares[v] / static_cast<double>(verdicts.size());
  }
  for (const double share : mean) chance += share * share;
  return chance;
}

std::vector<GsbCount> counts_by_pair(const PairVerdictTable& verdicts) {
  std::vector<GsbCount> counts(verdicts.front().size());
  for (const auto& row : verdicts)
    for (size_t p = 0; p < row.size(); ++p)
      if (row[p]) add(counts[p], *row[p]);
  return counts;
}

RaterScore score_rater(const std::string& name, const std::vector<std::optional<PairVerdict>>& row) {
  RaterScore score{.rater = name, .count = {}};
  for (const auto& verdict : row) verdict ? add(score.count, *verdict) : void(++score.open);
  return score;
}

}  // namespace

std::optional<double> GsbCount::preference() const {
  if (total() == 0) return std::nullopt;
  return static_cast<double>(good - bad) / static_cast<double>(total());
}

PairVerdictTable verdicts_of(const std::vector<RaterAnswers>& answers, const std::vector<bool>& a_is_left) {
  PairVerdictTable table;
  for (const RaterAnswers& rater : answers) {
    auto& row = table.emplace_back(rater.choices.size());
    for (size_t p = 0; p < row.size(); ++p)
      if (rater.choices[p]) row[p] = verdict_of(*rater.choices[p], a_is_left[p]);
  }
  return table;
}

std::optional<RaterAgreement> agreement_of(const PairVerdictTable& verdicts) {
  if (verdicts.size() < 2) return std::nullopt;
  const std::vector<size_t> pairs = answered_by_all(verdicts);
  if (pairs.empty()) return std::nullopt;
  RaterAgreement agreement{.pairs = static_cast<int64_t>(pairs.size()), .raw = raw_agreement(verdicts, pairs)};
  const double chance = chance_agreement(verdicts, pairs);
  if (chance < 1 - 1e-12) agreement.kappa = (agreement.raw - chance) / (1 - chance);
  return agreement;
}

std::optional<PreferenceInterval> bootstrap_preference(const std::vector<GsbCount>& pairs, int64_t resamples,
                                                       int64_t seed) {
  std::vector<GsbCount> answered;
  std::ranges::copy_if(pairs, std::back_inserter(answered), [](const GsbCount& pair) { return pair.total() > 0; });
  if (answered.size() < 2 || resamples < 1) return std::nullopt;
  const PhiloxKey key{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}};
  std::vector<double> values;
  for (uint32_t resample = 0; resample < static_cast<uint32_t>(resamples); ++resample) {
    GsbCount drawn;
    for (uint32_t i = 0; i < answered.size(); ++i) {
      const uint64_t word = philox({{i, resample, 0, 0}}, key).word[0];
      add(drawn, answered[word * answered.size() >> 32]);  // biased by less than 2^-15 of a pair, of up to 100,000
    }
    values.push_back(*drawn.preference());
  }
  std::ranges::sort(values);
  const auto tail = static_cast<size_t>(0.025 * static_cast<double>(values.size()));
  return PreferenceInterval{values[tail], values[values.size() - 1 - tail]};
}

PreferenceScore score_preference(const std::vector<RaterAnswers>& answers, const std::vector<bool>& a_is_left,
                                 const ResampleSettings& bootstrap) {
  const PairVerdictTable verdicts = verdicts_of(answers, a_is_left);
  PreferenceScore score;
  for (size_t r = 0; r < answers.size(); ++r) {
    score.raters.push_back(score_rater(answers[r].rater, verdicts[r]));
    add(score.all, score.raters.back().count);
    score.open += score.raters.back().open;
    score.chose_left += std::ranges::count(answers[r].choices, std::optional(RaterChoice::kLeft));
    score.chose_right += std::ranges::count(answers[r].choices, std::optional(RaterChoice::kRight));
  }
  score.pairs = counts_by_pair(verdicts);
  score.interval = bootstrap_preference(score.pairs, bootstrap.resamples, bootstrap.seed);
  score.agreement = agreement_of(verdicts);
  return score;
}

}  // namespace sgf
