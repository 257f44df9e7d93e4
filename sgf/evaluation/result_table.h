// Tables like the paper's from several results: one row per horizon and metric, one column per initialisation and
// method.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct ResultCell {
  std::optional<double> value;
  bool is_best = false;  // among the methods of its initialisation, at three digits
  std::string protocol;
};

struct ResultColumn {
  std::string init;    // "TF init"
  std::string method;  // "SGF"
};

struct ResultRow {
  std::string horizon;            // "60s"
  std::string metric;             // "aesthetic_quality"
  std::vector<ResultCell> cells;  // one per column
};

struct ResultTable {
  std::vector<ResultColumn> columns;
  std::vector<ResultRow> rows;
};

// One result of `sgf eval` or `sgf eval import`: its labels and totals. `name` replaces a missing method label.
struct LabelledResult {
  std::string name;
  std::string init;
  std::string method;
  std::string horizon;                                 // with the setting, if there is one
  std::string protocol;                                // empty if unknown, as for results of the original
  std::vector<std::pair<std::string, double>> totals;  // in their order
};
// The content of `file`, whose stem is its name.
LabelledResult labelled_result(const nlohmann::json& result, const std::string& file);

// Columns are in the order of the results, methods of one initialisation side by side. Throws on two results for one
// cell and on different protocols in one row.
ResultTable tabulate(const std::vector<LabelledResult>& results);

std::string shown_cell(const ResultCell& cell);  // "0.653", "0.653*" for the best of a pair, "-"

// In the paper's format, as LaTeX (booktabs).
std::string latex_of(const ResultTable& table);
std::string markdown_of(const ResultTable& table);

}  // namespace sgf
