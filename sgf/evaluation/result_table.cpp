#include "sgf/evaluation/result_table.h"

#include "sgf/core/error.h"
#include "sgf/core/printable.h"
#include "sgf/evaluation/segment_metrics.h"
#include "sgf/files/strict_json.h"
#include "sgf/vbench/metric_names.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

// Three digits as in the paper: values that are shown as equal count as equal.
std::string three_digits(double value) { return fmt::format("{:.3f}", value); }

size_t place_among(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

std::vector<ResultColumn> columns_of(const std::vector<LabelledResult>& results) {
  std::vector<std::string> inits;
  for (const LabelledResult& result : results) place_among(inits, result.init);
  std::vector<ResultColumn> columns;
  for (const std::string& init : inits) {
    std::vector<std::string> methods;
    for (const LabelledResult& result : results)
      if (result.init == init) place_among(methods, result.method);
    for (const std::string& method : methods) columns.push_back({init, method});
  }
  return columns;
}

size_t column_of(const std::vector<ResultColumn>& columns, const LabelledResult& result) {
  const auto is_its = [&](const ResultColumn& c) { return c.init == result.init && c.method == result.method; };
  return static_cast<size_t>(std::ranges::find_if(columns, is_its) - columns.begin());
}

ResultRow& row_of(ResultTable& table, const std::string& horizon, const std::string& metric) {
  for (ResultRow& row : table.rows)
    if (row.horizon == horizon && row.metric == metric) return row;
  return table.rows.emplace_back(
      ResultRow{.horizon = horizon, .metric = metric, .cells = std::vector<ResultCell>(table.columns.size())});
}

// 1: more is better, for all of VBench; -1: less is better, for the world's errors; 0: no direction, for its ratios to
// true clips.
int better_way(std::string_view metric) {
  constexpr std::string_view kWorld = "world_";
  if (!metric.starts_with(kWorld)) return 1;
  const auto found = std::ranges::find(study_metrics(), metric.substr(kWorld.size()), &StudyMetric::name);
  if (found == study_metrics().end() || found->better == Better::kNeither) return 0;
  return found->better == Better::kMore ? 1 : -1;
}

void mark_best(ResultRow& row, const std::vector<ResultColumn>& columns) {
  const int way = better_way(row.metric);
  for (size_t i = 0; way != 0 && i < columns.size(); ++i) {
    double best = -INFINITY;
    int64_t rivals = 0;
    for (size_t j = 0; j < columns.size(); ++j) {
      if (columns[j].init != columns[i].init || !row.cells[j].value) continue;
      best = std::max(best, way * *row.cells[j].value);
      ++rivals;
    }
    row.cells[i].is_best =
        rivals > 1 && row.cells[i].value && three_digits(*row.cells[i].value) == three_digits(way * best);
  }
}

// Whole videos and clips of two seconds give different numbers for the same metric.
void check_protocols(const ResultRow& row, const LabelledResult& result) {
  for (const ResultCell& cell : row.cells)
    SGF_CHECK(cell.protocol.empty() || result.protocol.empty() || cell.protocol == result.protocol,
              "{}: {} at '{}' uses --protocol {}, but another result uses --protocol {}, so they cannot be compared; "
              "separate the rows with --horizon or --setting",
              result.name, row.metric, result.horizon, result.protocol, cell.protocol);
}

// Groups rows by horizon; horizons and metrics keep their first order.
void sort_rows(ResultTable& table) {
  std::vector<std::string> horizons;
  for (const ResultRow& row : table.rows) place_among(horizons, row.horizon);
  std::ranges::stable_sort(table.rows, {}, [&](const ResultRow& row) { return place_among(horizons, row.horizon); });
}

std::string column_name(const ResultColumn& column) {
  return column.init.empty() ? column.method : fmt::format("{}, {}", column.init, column.method);
}

// Labels and file names as plain text.
std::string latex_text(std::string_view text) {
  std::string shown;
  for (const char c : printable(text)) {
    const bool is_special = std::string_view("&%$#_{}").find(c) != std::string_view::npos;
    if (c == '\\')
      shown += "\\textbackslash{}";
    else if (c == '~')
      shown += "\\textasciitilde{}";
    else if (c == '^')
      shown += "\\textasciicircum{}";
    else
      (is_special ? shown += '\\' : shown) += c;
  }
  return shown;
}

std::string markdown_text(std::string_view text) {
  std::string shown;
  for (const char c : printable(text)) (c == '|' ? shown += '\\' : shown) += c;
  return shown;
}

std::string latex_arrow(const std::string& metric) { return better_way(metric) < 0 ? "$\\downarrow$" : ""; }

std::string latex_cell(const ResultCell& cell) {
  if (!cell.value) return "--";
  return fmt::format(fmt::runtime(cell.is_best ? "\\textbf{{{}}}" : "{}"), three_digits(*cell.value));
}

}  // namespace

LabelledResult labelled_result(const nlohmann::json& result, const std::string& file) {
  const std::string name = std::filesystem::path(file).stem().string();
  LabelledResult labelled{.name = name, .init = "", .method = name, .horizon = "", .protocol = "", .totals = {}};
  try {
    SGF_CHECK(result.is_object() && result.contains("totals"),
              "{}: is not a result of sgf eval --scores: it lacks \"totals\"", file);
    const nlohmann::json labels = result.value("labels", nlohmann::json::object());
    labelled.init = labels.value("init", "");
    labelled.method = labels.value("method", name);
    labelled.horizon = labels.value("horizon", "");
    const std::string setting = labels.value("setting", "");
    if (!setting.empty()) labelled.horizon += (labelled.horizon.empty() ? "" : ", ") + setting;
    labelled.protocol = result.value("protocol", "");
    if (labelled.protocol == "imported") labelled.protocol.clear();
    for (const auto& [metric, total] : result.at("totals").items())
      if (total.at("value").is_number()) labelled.totals.emplace_back(metric, total.at("value").get<double>());
  } catch (const nlohmann::json::exception& error) {
    fail("{}: is not a result of sgf eval --scores: {}", file, json_complaint(error.what()));
  }
  return labelled;
}

ResultTable tabulate(const std::vector<LabelledResult>& results) {
  ResultTable table{.columns = columns_of(results), .rows = {}};
  for (const LabelledResult& result : results) {
    const size_t column = column_of(table.columns, result);
    for (const auto& [metric, value] : result.totals) {
      ResultRow& row = row_of(table, result.horizon, metric);
      check_protocols(row, result);
      ResultCell& cell = row.cells[column];
      SGF_CHECK(!cell.value,
                "{}: another result has {} of '{}', '{}' at '{}' too; give different labels with --init, --method, "
                "--horizon or --setting",
                result.name, metric, result.init, result.method, result.horizon);
      cell.value = value;
      cell.protocol = result.protocol;
    }
  }
  for (ResultRow& row : table.rows) mark_best(row, table.columns);
  sort_rows(table);
  return table;
}

std::string shown_cell(const ResultCell& cell) {
  return cell.value ? three_digits(*cell.value) + (cell.is_best ? "*" : "") : "-";
}

std::string markdown_of(const ResultTable& table) {
  std::string text = "| Horizon | Metric |";
  for (const ResultColumn& column : table.columns) text += fmt::format(" {} |", markdown_text(column_name(column)));
  text += "\n| --- | --- |";
  for (size_t i = 0; i < table.columns.size(); ++i) text += " ---: |";
  for (const ResultRow& row : table.rows) {
    text += fmt::format("\n| {} | {} |", markdown_text(row.horizon), markdown_text(paper_name(row.metric)));
    for (const ResultCell& cell : row.cells) {
      const std::string shown = cell.value ? three_digits(*cell.value) : "-";
      text += cell.is_best ? fmt::format(" **{}** |", shown) : fmt::format(" {} |", shown);
    }
  }
  return text + "\n";
}

std::string latex_of(const ResultTable& table) {
  std::string text = fmt::format("\\begin{{tabular}}{{ll{}}}\n\\toprule\nHorizon & Metric$\\uparrow$",
                                 std::string(table.columns.size(), 'c'));
  for (const ResultColumn& column : table.columns) text += fmt::format(" & {}", latex_text(column_name(column)));
  text += " \\\\\n\\midrule\n";
  for (const ResultRow& row : table.rows) {
    text +=
        fmt::format("{} & {}{}", latex_text(row.horizon), latex_text(paper_name(row.metric)), latex_arrow(row.metric));
    for (const ResultCell& cell : row.cells) text += fmt::format(" & {}", latex_cell(cell));
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace sgf
