#include "lab/demo/demo_scores.h"

#include "lab/study/band_chart.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

namespace sgf {
namespace {

// The study's headline, and motion beside it, because a video that stands still does not drift.
struct ShownMetric {
  std::string_view name;
  const char* words;  // short: a terminal is narrow
};
constexpr std::array kShownMetrics{ShownMetric{"valid", "valid"}, ShownMetric{"identity_error", "identity error"},
                                   ShownMetric{"landmark_drift", "landmark drift"}, ShownMetric{"motion", "motion"}};

const std::vector<PromptValues>& segments_of(const DemoContestant& contestant, const ShownMetric& metric) {
  return contestant.scores.find(metric.name)->second;
}

size_t lengths_of(const DemoContestant& contestant) { return segments_of(contestant, kShownMetrics[0]).size(); }

std::string two_digits(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }

// The order of the study's curves: true clips, initial student, SF, SGF.
std::vector<size_t> true_clips_first(size_t contestants) {
  std::vector<size_t> order(contestants);
  std::iota(order.begin() + 1, order.end(), 0);
  order.front() = contestants - 1;
  return order;
}

// Bands of few prompts would hide each other; the pair has its interval in a table.
Interval mean_alone(const PromptValues& values) {
  const double mean = mean_of_values(values);
  return std::isfinite(mean) ? Interval{.mean = mean, .low = mean, .high = mean, .count = 1} : Interval{};
}

}  // namespace

const char* colour_of(size_t contestant, size_t contestants) { return curve_colour((contestant + 1) % contestants); }

DemoTable score_table_of(const std::vector<DemoContestant>& contestants) {
  DemoTable table{.head = {""}, .rows = {}};
  for (const ShownMetric& metric : kShownMetrics) {
    table.head.push_back(fmt::format("{}, 1x", metric.words));
    table.head.push_back(fmt::format("{}x", lengths_of(contestants.front())));
  }
  for (const DemoContestant& contestant : contestants) {
    std::vector<std::string>& row = table.rows.emplace_back(std::vector{contestant.name});
    for (const ShownMetric& metric : kShownMetrics) {
      row.push_back(two_digits(mean_of_values(segments_of(contestant, metric).front())));
      row.push_back(two_digits(mean_of_values(segments_of(contestant, metric).back())));
    }
  }
  return table;
}

DemoTable difference_table(const DemoContestant& a, const DemoContestant& b) {
  DemoTable table{
      .head = {fmt::format("{} - {}, {}x", b.name, a.name, lengths_of(a)), "mean", "95 % interval", "better"},
      .rows = {}};
  const Bootstrap bootstrap({}, std::ssize(segments_of(a, kShownMetrics[0]).front()));
  for (const ShownMetric& metric : kShownMetrics) {
    const Better better = study_metric(metric.name).better;
    if (better == Better::kNeither) continue;
    const Interval i = bootstrap.of({paired_difference(segments_of(b, metric).back(), segments_of(a, metric).back())});
    table.rows.push_back({metric.words, fmt::format("{:+.3f}", i.mean),
                          fmt::format("{:+.3f} to {:+.3f}", i.low, i.high),
                          better == Better::kMore ? "above 0" : "below 0"});
  }
  return table;
}

DemoHeadline headline_of(const DemoContestant& a, const DemoContestant& b) {
  const std::vector<PromptValues>&of_a = segments_of(a, kShownMetrics[0]), &of_b = segments_of(b, kShownMetrics[0]);
  const int64_t prompts = std::ssize(of_a.back());
  const Interval i = Bootstrap({}, prompts).of({paired_difference(of_b.back(), of_a.back())});
  const std::string shares = fmt::format(
      "At {} times the training length, {:.1f}\u00a0% of the frames of {} show what the prompt says, and {:.1f}\u00a0% "
      "of those of {}",
      lengths_of(a), 100 * mean_of_values(of_b.back()), b.name, 100 * mean_of_values(of_a.back()), a.name);
  if (i.count < 2) return {shares + ".", "One prompt has no interval: this is no evidence for either."};
  const std::string result = fmt::format("{}: {:+.1f} points (95\u00a0% interval {:+.1f} to {:+.1f}, {} prompts).",
                                         shares, 100 * i.mean, 100 * i.low, 100 * i.high, prompts);
  if (!i.is_above(0) && !i.is_below(0))
    return {result, "The interval includes zero: this is no evidence that one of the two is better."};
  return {result, fmt::format("The interval excludes zero in favour of {}, for these two models and few prompts; "
                              "docs/study.md has more models and prompts.",
                              i.is_above(0) ? b.name : a.name)};
}

std::string score_charts(const std::vector<DemoContestant>& contestants) {
  std::vector<int64_t> lengths(lengths_of(contestants.front()));
  std::iota(lengths.begin(), lengths.end(), 1);
  std::string charts;
  for (const ShownMetric& metric : kShownMetrics) {
    std::vector<BandCurve> curves;
    for (const size_t place : true_clips_first(contestants.size())) {
      BandCurve& curve = curves.emplace_back(BandCurve{contestants[place].name, {}, curves.size()});
      for (const PromptValues& values : segments_of(contestants[place], metric))
        curve.values.push_back(mean_alone(values));
    }
    charts += draw_bands(metric.words, lengths, curves) + '\n';
  }
  return fmt::format("<div class=\"curves\">\n{}</div>\n", charts);
}

}  // namespace sgf
