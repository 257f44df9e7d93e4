// metrics.jsonl of a run: read, cut as a resumed run cuts it, and gone on with.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/runs/metrics_log.h"

#include <algorithm>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "metrics.jsonl";

bool is_ascending(const std::vector<MetricsRow>& rows) {
  return std::ranges::adjacent_find(rows, std::greater_equal<>{}, &MetricsRow::step) == rows.end();
}

void go_on(const std::filesystem::path& path, const MetricsHistory& history) {
  const int64_t half = history.rows[history.rows.size() / 2].step;
  const MetricsCut cut = cut_metrics(path, half);
  must(cut.kept + cut.dropped == static_cast<int64_t>(history.rows.size()), "each row is kept or dropped");
  const MetricsHistory left = read_metrics(path);
  must(left.torn_line.empty() && static_cast<int64_t>(left.rows.size()) == cut.kept, "what was kept is there, whole");
  must(left.rows.empty() || left.rows.back().step <= half, "nothing past the step is kept");
}

void read(std::string_view input) {
  const auto path = scratch_file(kName, input);
  const auto history = read_or_refuse(kName, [&] { return read_metrics(path); });
  if (!history) return;
  must(is_ascending(history->rows), "steps ascend");
  for (const MetricsRow& row : history->rows)
    do_or_refuse("", [&] { must(write_metrics_line(row).ends_with('\n'), "a row is a line"); });
  if (!history->rows.empty()) go_on(path, *history);
}

const Registered target("metrics_log", read);

}  // namespace
}  // namespace sgf::fuzz
