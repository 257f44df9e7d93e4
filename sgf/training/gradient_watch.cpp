#include "sgf/training/gradient_watch.h"

#include "sgf/core/error.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sgf {
namespace {

// No run makes so many updates. Beyond it a count would leave its 64 bits.
constexpr int64_t kMostUpdates = int64_t{1} << 53;

void check_counts(const GradientHistory& history, const std::string& source) {
  for (const int64_t count : {history.applied, history.skipped, history.skipped_in_a_row})
    SGF_CHECK(count >= 0 && count <= kMostUpdates, "{}: a count of updates must be between 0 and 2^53, got {}", source,
              count);
}

}  // namespace

void GradientLimits::validate() const {
  SGF_CHECK(factor > 1, "the gradient limit must be more than 1 times the median, got {}", factor);
  SGF_CHECK(minimum >= 1 && window >= minimum,
            "the minimum number of norms must be between 1 and the window of {}, got {}", window, minimum);
  SGF_CHECK(stop_after >= 1, "stop_after must be at least 1 skip in a row, got {}", stop_after);
}

nlohmann::json write_history(const GradientHistory& history) {
  return {{"norms", history.norms},
          {"applied", history.applied},
          {"skipped", history.skipped},
          {"skipped_in_a_row", history.skipped_in_a_row}};
}

GradientHistory read_history(const nlohmann::json& json, const std::string& source) {
  try {
    GradientHistory read{.norms = json.at("norms").get<std::vector<double>>(),
                         .applied = integer_of(json.at("applied")),
                         .skipped = integer_of(json.at("skipped")),
                         .skipped_in_a_row = integer_of(json.at("skipped_in_a_row"))};
    check_counts(read, source);
    return read;
  } catch (const nlohmann::json::exception& error) {
    fail("{}: expected a history of gradient norms: {}", source, json_complaint(error.what()));
  }
}

GradientWatch::GradientWatch(GradientLimits limits, GradientHistory history)
    : limits_(limits), history_(std::move(history)) {
  limits_.validate();
}

GradientVerdict GradientWatch::judge(double norm) {
  reason_ = find_fault(norm);
  if (reason_.empty()) {
    accept(norm);
    return GradientVerdict::kApply;
  }
  ++history_.skipped;
  ++history_.skipped_in_a_row;
  return history_.skipped_in_a_row < limits_.stop_after ? GradientVerdict::kSkip : GradientVerdict::kStop;
}

std::optional<double> GradientWatch::median() const {
  std::vector<double> norms = history_.norms;
  if (static_cast<int64_t>(norms.size()) < limits_.minimum) return std::nullopt;
  const auto middle = norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2);
  std::nth_element(norms.begin(), middle, norms.end());
  return *middle;
}

std::string GradientWatch::find_fault(double norm) const {
  if (!std::isfinite(norm)) return fmt::format("the gradient norm is {}", norm);
  const std::optional<double> usual = median();
  // A median of 0 (a network that is not trained yet) gives no limit.
  if (!usual || *usual == 0 || norm <= limits_.factor * *usual) return "";
  return fmt::format("the gradient norm is {:.4g}, {:.0f} times its median of {:.4g} over {} updates", norm,
                     norm / *usual, *usual, history_.norms.size());
}

void GradientWatch::accept(double norm) {
  ++history_.applied;
  history_.skipped_in_a_row = 0;
  history_.norms.push_back(norm);
  const auto excess = static_cast<int64_t>(history_.norms.size()) - limits_.window;
  if (excess > 0) history_.norms.erase(history_.norms.begin(), history_.norms.begin() + excess);
}

}  // namespace sgf
