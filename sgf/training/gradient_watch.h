// Decides from the gradient norm whether an update is applied. One bad batch must not ruin a run, and a ruined run must
// stop.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class GradientVerdict {
  kApply,
  kSkip,  // do not change weights and optimiser
  kStop,  // too many skips in a row: write a checkpoint and end the run
};

struct GradientLimits {
  double factor = 20;       // of the running median
  int64_t window = 100;     // number of norms of applied updates in the median
  int64_t minimum = 20;     // norms before the median is used: the first steps of a run vary widely
  int64_t stop_after = 10;  // skips in a row

  void validate() const;
};

// The state that a resumed run needs for the same decisions.
struct GradientHistory {
  std::vector<double> norms;  // of applied updates, oldest first
  int64_t applied = 0;
  int64_t skipped = 0;
  int64_t skipped_in_a_row = 0;

  bool operator==(const GradientHistory&) const = default;
};

// All numbers are restored bit for bit.
nlohmann::json write_history(const GradientHistory& history);
GradientHistory read_history(const nlohmann::json& json, const std::string& source);

// One per network: norms of critic and generator are unrelated.
class GradientWatch {
 public:
  explicit GradientWatch(GradientLimits limits = {}, GradientHistory history = {});

  // `norm` is the norm of the whole gradient before clipping. Skipped norms do not enter the median.
  GradientVerdict judge(double norm);

  const GradientHistory& history() const { return history_; }
  const std::string& reason() const { return reason_; }  // of the last skip, as text
  std::optional<double> median() const;                  // empty while there are too few norms

 private:
  std::string find_fault(double norm) const;  // empty: no fault
  void accept(double norm);

  GradientLimits limits_;
  GradientHistory history_;
  std::string reason_;
};

}  // namespace sgf
