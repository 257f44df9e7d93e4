// Progress of a run: one line rewritten in place on a terminal, or a plain line at intervals in a log.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgf {

enum class ProgressMode {
  kQuiet,     // nothing
  kTerminal,  // one line, rewritten in place
  kLog,       // a line at an interval
};

struct ProgressSettings {
  ProgressMode mode = ProgressMode::kLog;
  int64_t total_steps = 0;
  std::string unit = "step";  // what is counted: "update" for training, "frame" for videos
  double log_interval = 30;   // seconds between two lines of a log; the first and the last step always get one
};

// Where the line goes and how time passes: stderr and the steady clock in a program, replacements in a test. Without
// `write`, progress is quiet.
struct ProgressOutput {
  std::function<void(std::string_view)> write;
  std::function<double()> seconds;
  std::function<int64_t()> width;  // of the terminal, in characters
};

struct ProgressNumber {
  std::string name;
  double value = 0;
};

// State of one step. Metrics are shown in this order.
struct ProgressReport {
  int64_t step = 0;       // done so far
  std::string note = {};  // "clip 2 of 5"
  std::vector<ProgressNumber> numbers = {};
  double memory_bytes = 0;  // 0 if unknown
};

// "42 s", "17 min", "3 h 05 min", "2 d 04 h"
std::string spell_duration(double seconds);

class ProgressLine {
 public:
  ProgressLine(ProgressSettings settings, ProgressOutput output);

  void show(const ProgressReport& report);
  void say(std::string_view line);  // a permanent line, above the one that is rewritten
  void finish();                    // leaves the last line on the terminal

 private:
  double rate() const;  // recent steps per second; 0 while unknown
  void remember(int64_t step);
  bool is_due(int64_t step) const;
  std::string compose(const ProgressReport& report, size_t width) const;

  ProgressSettings settings_;
  ProgressOutput output_;
  std::vector<std::pair<double, int64_t>> recent_;  // time and step, oldest first
  double shown_at_ = 0;
  std::string line_;  // on the terminal now
};

}  // namespace sgf
