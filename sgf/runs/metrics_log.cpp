#include "sgf/runs/metrics_log.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace sgf {
namespace {

constexpr std::string_view kStep = "step";
constexpr std::string_view kNonFinite = "non_finite";
constexpr JsonLimits kLimits{.depth = 2, .array_length = 10'000};

// A row, and the line it was read from, with its newline.
struct Line {
  MetricsRow row;
  std::string text;
  int64_t number = 0;  // starting at 1
};

struct Lines {
  std::vector<Line> whole;
  std::string torn;
  std::vector<int64_t> damaged;  // numbers of lines, starting at 1
};

std::string read_all(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return "";
  return std::string(MappedFile::open(path)->text());
}

MetricsRow parse_row(std::string_view text, const std::string& source) {
  const nlohmann::ordered_json object = parse_strict_ordered_json(text, source, kLimits);
  const bool has_step = object.is_object() && object.contains(kStep) && object[kStep].is_number_unsigned() &&
                        object[kStep].get<uint64_t>() <= uint64_t{INT64_MAX};
  SGF_CHECK(has_step, "{}: expected a JSON object with the metrics of a step, got {}", source, in_quotes(text));
  MetricsRow row{.step = integer_of(object[kStep]), .metrics = {}};
  for (const auto& [name, value] : object.items()) {
    if (name == kStep || name == kNonFinite) continue;
    SGF_CHECK(value.is_number() || value.is_null(), "{}: metric '{}' must be a number or null", source, name);
    row.metrics.push_back({name, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>()});
  }
  return row;
}

std::string source_of(const std::filesystem::path& path, int64_t number) {
  return fmt::format("{}:{}", path.string(), number);
}

bool ascends(const std::vector<Line>& lines, const MetricsRow& next) {
  return lines.empty() || lines.back().row.step < next.step;
}

// Splits the text and parses each line. A crash of the process cuts the end of the last line, a crash of the machine
// may lose any part of it: it is torn. Other lines that cannot be read are passed to `on_damage`.
template <class OnDamage>
Lines parse_lines(const std::string& text, const std::filesystem::path& path, const OnDamage& on_damage) {
  Lines lines;
  int64_t number = 0;
  for (size_t start = 0, end = 0; start < text.size(); start = end) {
    end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    const bool is_last = end == text.size();
    ++number;
    try {
      if (is_last && !line.ends_with('\n')) fail("no newline");
      lines.whole.push_back({.row = parse_row(line, source_of(path, number)), .text = line, .number = number});
    } catch (const Error& error) {
      is_last ? void(lines.torn = line) : on_damage(lines, number, error);
    }
  }
  return lines;
}

// Any damage before the last line is an error.
Lines read_lines(const std::filesystem::path& path) {
  Lines lines = parse_lines(read_all(path), path, [](Lines&, int64_t, const Error& error) { throw error; });
  for (size_t i = 1; i < lines.whole.size(); ++i) {
    const int64_t before = lines.whole[i - 1].row.step, step = lines.whole[i].row.step;
    SGF_CHECK(before < step, "{}: steps must ascend, got step {} after step {}", source_of(path, lines.whole[i].number),
              step, before);
  }
  return lines;
}

// The first name of NAME.damaged, NAME.damaged-2, ... that is free.
std::filesystem::path free_name_for_damaged(const std::filesystem::path& path) {
  std::filesystem::path name = std::filesystem::path(path).concat(".damaged");
  for (int number = 2; std::filesystem::exists(name); ++number)
    name = std::filesystem::path(path).concat(fmt::format(".damaged-{}", number));
  return name;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace

std::string write_metrics_line(const MetricsRow& row) {
  nlohmann::ordered_json object{{kStep, row.step}};
  nlohmann::ordered_json non_finite = nlohmann::ordered_json::array();
  for (const Metric& metric : row.metrics) {
    SGF_CHECK(!object.contains(metric.name) && metric.name != kNonFinite,
              "step {}: the name of metric {} is used twice or reserved", row.step, in_quotes(metric.name));
    object[metric.name] = metric.value;  // NaN and infinities are dumped as null
    if (!std::isfinite(metric.value)) non_finite.push_back(metric.name);
  }
  if (!non_finite.empty()) object[std::string(kNonFinite)] = std::move(non_finite);
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

MetricsHistory read_metrics(const std::filesystem::path& path) {
  Lines lines = read_lines(path);
  MetricsHistory history{.rows = {}, .torn_line = std::move(lines.torn)};
  for (Line& line : lines.whole) history.rows.push_back(std::move(line.row));
  return history;
}

std::vector<StepGap> missing_steps(const std::vector<MetricsRow>& rows, int64_t steps_done) {
  std::vector<StepGap> gaps;
  int64_t next = 0;
  for (const MetricsRow& row : rows) {
    if (row.step >= steps_done) break;
    if (row.step > next) gaps.push_back({next, row.step - 1});
    next = row.step + 1;
  }
  if (next < steps_done) gaps.push_back({next, steps_done - 1});
  return gaps;
}

std::string describe_gaps(const std::vector<StepGap>& gaps) {
  std::string text;
  for (size_t i = 0; i < gaps.size(); ++i) {
    const char* joint = i == 0 ? "" : i + 1 == gaps.size() ? " and " : ", ";
    const auto [first, last] = gaps[i];
    text += joint + (first == last ? fmt::format("step {}", first) : fmt::format("steps {} to {}", first, last));
  }
  return text;
}

MetricsCut cut_metrics(const std::filesystem::path& path, int64_t last_step) {
  const std::string text = read_all(path);
  Lines lines =
      parse_lines(text, path, [](Lines& all, int64_t number, const Error&) { all.damaged.push_back(number); });
  MetricsCut cut{.torn_line = std::move(lines.torn), .damaged_lines = std::move(lines.damaged)};
  std::vector<Line> kept;
  for (Line& line : lines.whole) {
    if (line.row.step > last_step)
      ++cut.dropped;
    else if (ascends(kept, line.row))
      kept.push_back(std::move(line));
    else
      cut.damaged_lines.push_back(line.number);
  }
  if (!cut.damaged_lines.empty()) {
    std::ranges::sort(cut.damaged_lines);
    cut.original = free_name_for_damaged(path);
    write_file(cut.original, text);
  }
  std::string rows;
  for (const Line& line : kept) rows += line.text;
  write_file(path, rows);
  cut.kept = static_cast<int64_t>(kept.size());
  return cut;
}

MetricsLog::MetricsLog(const std::filesystem::path& path) : file_(path, AppendFile::Opening::kExisting) {
  const MetricsHistory history = read_metrics(path);
  SGF_CHECK(history.torn_line.empty(), "{}: the last line is torn; cut the log before appending", path.string());
  if (!history.rows.empty()) last_step_ = history.rows.back().step;
}

void MetricsLog::append(const MetricsRow& row) {
  SGF_CHECK(row.step > last_step_, "steps of metrics must ascend, got step {} after step {}", row.step, last_step_);
  file_.append(write_metrics_line(row));
  last_step_ = row.step;
}

}  // namespace sgf
