#include "sgf/core/progress_line.h"

#include "sgf/core/error.h"
#include "sgf/core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgf {
namespace {

constexpr double kRedrawSeconds = 0.1;  // faster updates cannot be read
constexpr size_t kRecentSteps = 50;     // the rate is an average over this many
constexpr std::string_view kGap = "  ";

// A part of the line. If space is short, parts of the highest rank are dropped first.
struct Part {
  std::string text;
  int rank = 0;
};

size_t width_of(const std::vector<Part>& parts) {
  size_t width = 0;
  for (const Part& part : parts) width += part.text.size() + (width == 0 ? 0 : kGap.size());
  return width;
}

std::string join_within(std::vector<Part> parts, size_t width) {
  while (parts.size() > 1 && width_of(parts) > width) {
    // The last part of the highest rank.
    const auto least =
        std::max_element(parts.rbegin(), parts.rend(), [](const Part& a, const Part& b) { return a.rank < b.rank; });
    parts.erase(std::prev(least.base()));
  }
  std::string line;
  for (const Part& part : parts) line += (line.empty() ? std::string_view() : kGap), line += part.text;
  return line.substr(0, width);
}

}  // namespace

std::string spell_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  const int64_t minutes = whole / 60, hours = minutes / 60, days = hours / 24;
  if (whole < 100) return fmt::format("{} s", whole);
  if (minutes < 100) return fmt::format("{} min", minutes);
  if (hours < 48) return fmt::format("{} h {:02} min", hours, minutes % 60);
  return fmt::format("{} d {:02} h", days, hours % 24);
}

ProgressLine::ProgressLine(ProgressSettings settings, ProgressOutput output)
    : settings_(std::move(settings)), output_(std::move(output)) {
  if (!output_.write) settings_.mode = ProgressMode::kQuiet;
  SGF_CHECK(settings_.total_steps >= 1, "steps must be at least 1 to show progress, got {}", settings_.total_steps);
}

void ProgressLine::show(const ProgressReport& report) {
  if (settings_.mode == ProgressMode::kQuiet) return;
  const bool is_first = recent_.empty();
  remember(report.step);
  if (!is_first && !is_due(report.step)) return;
  shown_at_ = output_.seconds();
  if (settings_.mode == ProgressMode::kLog) {
    output_.write(compose(report, std::numeric_limits<size_t>::max()) + '\n');
    return;
  }
  // One column stays free: a full line would make some terminals wrap.
  line_ = compose(report, static_cast<size_t>(std::max<int64_t>(output_.width() - 1, 1)));
  output_.write("\r" + line_ + "\x1b[K");
}

void ProgressLine::say(std::string_view line) {
  if (settings_.mode == ProgressMode::kQuiet) return;
  const bool is_terminal = settings_.mode == ProgressMode::kTerminal && !line_.empty();
  const std::string shown = printable(line);
  output_.write(is_terminal ? fmt::format("\r\x1b[K{}\n{}", shown, line_) : shown + '\n');
}

void ProgressLine::finish() {
  if (settings_.mode == ProgressMode::kTerminal && !line_.empty()) output_.write("\n");
  line_.clear();
}

void ProgressLine::remember(int64_t step) {
  recent_.emplace_back(output_.seconds(), step);
  if (recent_.size() > kRecentSteps) recent_.erase(recent_.begin());
}

bool ProgressLine::is_due(int64_t step) const {
  const double interval = settings_.mode == ProgressMode::kLog ? settings_.log_interval : kRedrawSeconds;
  return step >= settings_.total_steps || output_.seconds() - shown_at_ >= interval;
}

double ProgressLine::rate() const {
  if (recent_.size() < 2) return 0;
  const double seconds = recent_.back().first - recent_.front().first;
  return seconds > 0 ? static_cast<double>(recent_.back().second - recent_.front().second) / seconds : 0;
}

std::string ProgressLine::compose(const ProgressReport& report, size_t width) const {
  std::vector<Part> parts{{fmt::format("{} {}/{}", settings_.unit, report.step, settings_.total_steps), 0}};
  if (!report.note.empty()) parts.push_back({report.note, 2});
  for (const ProgressNumber& number : report.numbers)
    parts.push_back({fmt::format("{} {:.4g}", number.name, number.value), 2});
  if (const double pace = rate(); pace > 0) {
    const double left = static_cast<double>(settings_.total_steps - report.step) / pace;
    parts.push_back({pace >= 1 ? fmt::format("{:.1f} {}s/s", pace, settings_.unit)
                               : fmt::format("{:.1f} s/{}", 1 / pace, settings_.unit),
                     3});
    parts.push_back({fmt::format("{} left", spell_duration(left)), 1});
  }
  if (report.memory_bytes > 0) parts.push_back({fmt::format("{:.1f} GiB", report.memory_bytes / (1 << 30)), 4});
  return join_within(std::move(parts), width);
}

}  // namespace sgf
