#include "sgf/training/run/health.h"

#include "sgf/core/error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace sgf {
namespace {

using Series = std::vector<double>;

constexpr double kGoodValid = .3;  // of sample_valid: samples worth losing

struct Sampled {
  int64_t step = 0;
  double value = 0;
};

// Takes a copy: nth_element reorders it.
double median_of(Series values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class HealthJudge {
 public:
  HealthJudge(std::span<const MetricsRow> rows, const HealthThresholds& thresholds)
      : rows_(rows), limits_(thresholds) {}

  HealthVerdict judge() {
    judge_critic();
    for (const char* name : {"generator_grad_norm", "critic_grad_norm", "dmdtrain_gradient_norm"}) judge_growth(name);
    judge_latents();
    judge_motion();
    judge_recovery();
    judge_samples();
    judge_finiteness();
    if (!verdict_.judged.empty()) say_unseen();
    if (verdict_.judged.empty())
      add({HealthLevel::kWatch, "step", fmt::format("only {} updates so far: too early to say", rows_.size())});
    std::stable_sort(verdict_.findings.begin(), verdict_.findings.end(),
                     [](const HealthFinding& a, const HealthFinding& b) { return a.level > b.level; });
    return std::move(verdict_);
  }

 private:
  Series all_values(std::string_view name) const {
    Series values;
    for (const MetricsRow& row : rows_) {
      if (const double* value = row.find(name)) values.push_back(*value);
    }
    return values;
  }

  // The finite values of a metric; nothing where they are too few to judge.
  std::optional<Series> series(const char* name) {
    Series values = all_values(name);
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (static_cast<int64_t>(values.size()) < limits_.minimum_values) return std::nullopt;
    verdict_.judged.emplace_back(name);
    return values;
  }

  std::ptrdiff_t window_in(const Series& values) const {
    return std::min<std::ptrdiff_t>(limits_.window, static_cast<std::ptrdiff_t>(values.size() / 3));
  }
  double early(const Series& values) const { return median_of({values.begin(), values.begin() + window_in(values)}); }
  double late(const Series& values) const { return median_of({values.end() - window_in(values), values.end()}); }

  // The lowest median of any window; windows overlap by half.
  double best(const Series& values) const {
    const std::ptrdiff_t window = window_in(values);
    double lowest = late(values);
    for (std::ptrdiff_t at = 0; at + window <= std::ssize(values); at += std::max<std::ptrdiff_t>(window / 2, 1))
      lowest = std::min(lowest, median_of({values.begin() + at, values.begin() + at + window}));
    return lowest;
  }

  void add(HealthFinding finding) {
    verdict_.level = std::max(verdict_.level, finding.level);
    verdict_.findings.push_back(std::move(finding));
  }

  void hold_against(HealthThresholds::Pair limit, double value, const char* name, std::string reason) {
    if (!(value > limit.watch)) return;
    add({value > limit.bad ? HealthLevel::kBad : HealthLevel::kWatch, name, std::move(reason)});
  }

  void judge_critic() {
    const std::optional<Series> loss = series("critic_loss");
    if (!loss) return;
    const double ratio = late(*loss) / best(*loss);
    hold_against(limits_.critic_lag, ratio, "critic_loss",
                 fmt::format("the critic falls behind: its loss is {:.3g}, {:.1f} times its best", late(*loss), ratio));
  }

  void judge_growth(const char* name) {
    const std::optional<Series> norms = series(name);
    if (!norms) return;
    const double ratio = late(*norms) / early(*norms);
    hold_against(
        limits_.norm_growth, ratio, name,
        fmt::format("gradients grow: the norm is {:.3g}, {:.1f} times that of the first updates", late(*norms), ratio));
  }

  void judge_latents() {
    const std::optional<Series> mean = series("latent_mean"), spread = series("latent_std");
    if (!spread) return;
    const double ratio = late(*spread) / early(*spread);
    hold_against(limits_.latent_std_ratio, std::max(ratio, 1 / ratio), "latent_std",
                 fmt::format("latents {}: their standard deviation went from {:.3g} to {:.3g}",
                             ratio > 1 ? "spread" : "shrink", early(*spread), late(*spread)));
    if (!mean) return;
    hold_against(limits_.latent_mean_shift, std::abs(late(*mean) - early(*mean)) / early(*spread), "latent_mean",
                 fmt::format("latents drift: their mean went from {:.3g} to {:.3g}", early(*mean), late(*mean)));
  }

  void judge_motion() {
    const std::optional<Series> motion = series("motion_energy");
    if (!motion) return;
    hold_against(limits_.motion_loss, early(*motion) / late(*motion), "motion_energy",
                 fmt::format("motion falls: motion energy went from {:.3g} to {:.3g}", early(*motion), late(*motion)));
  }

  void judge_recovery() {
    const std::optional<Series> error = series("recovery_relative_l2");
    if (!error) return;
    hold_against(limits_.recovery, late(*error), "recovery_relative_l2",
                 fmt::format("the two passes do not match: Pass 2 is {:.3g} off Pass 1", late(*error)));
  }

  // The finite values that samples had, with their steps.
  std::vector<Sampled> samples(const char* name) const {
    std::vector<Sampled> values;
    for (const MetricsRow& row : rows_) {
      const double* value = row.find(name);
      if (value != nullptr && std::isfinite(*value)) values.push_back({row.step + 1, *value});
    }
    return values;
  }

  // Whether the newest sample has the fault. Bad if an earlier sample was sound, else watch.
  template <class HasFault>
  bool judge_newest(const char* name, HasFault has_fault, const std::string& fault, const std::string& advice) {
    const std::vector<Sampled> values = samples(name);
    if (values.empty()) return false;
    verdict_.judged.emplace_back(name);
    const Sampled& newest = values.back();
    if (!has_fault(newest.value)) return false;
    const auto sound = std::ranges::find_if(values.rbegin(), values.rend(), std::not_fn(has_fault), &Sampled::value);
    const std::string what = fmt::format("the samples of update {} {} ({:.2g})", newest.step, fault, newest.value);
    if (sound == values.rend())
      add({HealthLevel::kWatch, name, fmt::format("{}: {}", what, advice)});
    else
      add({HealthLevel::kBad, name,
           fmt::format("{}, those of update {} did not: continue from an earlier checkpoint with a lower learning rate",
                       what, sound->step)});
    return true;
  }

  void judge_samples() {
    const bool is_noise = judge_newest(
        "sample_correlation", [&](double value) { return value < limits_.noise_below; }, "look like noise",
        "train for longer, or with a higher optimiser.learning_rate");
    const bool is_flat = judge_newest(
        "sample_contrast", [&](double value) { return value < limits_.flat_below; }, "show flat frames without content",
        "train for longer; if it stays, try a lower optimiser.learning_rate");
    judge_newest(
        "sample_clipped", [&](double value) { return value > limits_.clipped_above; },
        "have many pixels outside the range of colours",
        "train for longer; if it stays, try a lower output.sample_guidance or dmd.guidance");
    judge_validity(is_noise || is_flat);
  }

  // Curves alone do not show that a video is good.
  void say_unseen() {
    const bool has_samples =
        std::ranges::any_of(verdict_.judged, [](const std::string& name) { return name.starts_with("sample_"); });
    if (!has_samples)
      add({HealthLevel::kWatch, "output.sample_every", "no sample was taken to judge: look at videos of this run"});
  }

  // Of the world's samples. Noise shows no prompt, and has been named.
  void judge_validity(bool is_named) {
    const char* name = "sample_valid";
    const std::vector<Sampled> values = samples(name);
    if (values.empty()) return;
    verdict_.judged.emplace_back(name);
    const Sampled &newest = values.back(), &best = *std::ranges::max_element(values, {}, &Sampled::value);
    if (best.value >= kGoodValid)
      hold_against(
          limits_.valid_loss, best.value / newest.value, name,
          fmt::format("the samples got worse: {:.0f} % of their frames show what the prompt says, {:.0f} % did "
                      "at update {}; continue from that checkpoint with a lower learning rate",
                      100 * newest.value, 100 * best.value, best.step));
    else if (newest.value < limits_.valid_below && !is_named)
      add({HealthLevel::kWatch, name,
           fmt::format("{:.0f} % of the frames sampled at update {} show what their prompt says: train for longer, and "
                       "look at the samples",
                       100 * newest.value, newest.step)});
  }

  void judge_finiteness() {
    std::set<std::string> names;
    for (const MetricsRow& row : rows_) {
      for (const Metric& metric : row.metrics) names.insert(metric.name);
    }
    for (const std::string& name : names) {
      const Series values = all_values(name);
      const std::ptrdiff_t window = std::min<std::ptrdiff_t>(limits_.window, std::ssize(values));
      const auto bad = std::count_if(values.end() - window, values.end(), [](double v) { return !std::isfinite(v); });
      hold_against(limits_.non_finite, static_cast<double>(bad) / static_cast<double>(window), name.c_str(),
                   fmt::format("{} of its last {} values are not finite", bad, window));
    }
  }

  std::span<const MetricsRow> rows_;
  const HealthThresholds& limits_;
  HealthVerdict verdict_;
};

}  // namespace

HealthVerdict judge_health(std::span<const MetricsRow> rows, const HealthThresholds& thresholds) {
  SGF_CHECK(thresholds.minimum_values >= 3 && thresholds.window >= 1,
            "a metric needs 3 or more values to be judged and a window of 1 or more, got {} and {}",
            thresholds.minimum_values, thresholds.window);
  return HealthJudge(rows, thresholds).judge();
}

}  // namespace sgf
