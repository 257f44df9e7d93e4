// Decides whether an update may be applied, from the norm of its gradient: one bad batch must not ruin a run, and a
// run that is ruined must not go on.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class GradientVerdict {
  kApply,
  kSkip,  // leave the weights and the optimiser as they are
  kStop,  // too many skips in a row: write a checkpoint and end the run
};

struct GradientLimits {
  double factor = 20;       // of the running median
  int64_t window = 100;     // norms of applied updates that the median is taken over
  int64_t minimum = 20;     // norms before the median is trusted: the first steps of a run are wild
  int64_t stop_after = 10;  // skips in a row

  void validate() const;
};

// All that a resumed run needs to judge as the one before would have.
struct GradientHistory {
  std::vector<double> norms;  // of applied updates, oldest first
  int64_t applied = 0;
  int64_t skipped = 0;
  int64_t skipped_in_a_row = 0;

  bool operator==(const GradientHistory&) const = default;
};

// Every number reads back as the same bits.
nlohmann::json write_history(const GradientHistory& history);
GradientHistory read_history(const nlohmann::json& json, const std::string& source);

// One per network: a critic's norms say nothing about the generator's.
class GradientWatch {
 public:
  explicit GradientWatch(GradientLimits limits = {}, GradientHistory history = {});

  // `norm` is that of the whole gradient before clipping. A skipped norm does not enter the median.
  GradientVerdict judge(double norm);

  const GradientHistory& history() const { return history_; }
  const std::string& reason() const { return reason_; }  // of the last skip, in words
  std::optional<double> median() const;                  // nothing while there are too few norms

 private:
  std::string find_fault(double norm) const;  // empty: none
  void accept(double norm);

  GradientLimits limits_;
  GradientHistory history_;
  std::string reason_;
};

}  // namespace sgf
