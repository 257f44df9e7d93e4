// Tables like the paper's, from results of several evaluations: a row for each horizon and metric, a column for each
// initialisation and method.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct ResultCell {
  std::optional<double> value;
  bool is_best = false;  // among the methods of its initialisation, as far as three digits tell
  std::string protocol;
};

struct ResultColumn {
  std::string init;    // "TF init"
  std::string method;  // "SGF"
};

struct ResultRow {
  std::string horizon;            // "60s"
  std::string metric;             // "aesthetic_quality"
  std::vector<ResultCell> cells;  // a column each
};

struct ResultTable {
  std::vector<ResultColumn> columns;
  std::vector<ResultRow> rows;
};

// One result of `sgf eval` or `sgf eval import`: its labels and totals. `name` stands for a method that was not named.
struct LabelledResult {
  std::string name;
  std::string init;
  std::string method;
  std::string horizon;                                 // and the setting, where one is named
  std::string protocol;                                // empty where it is not known, as of results of the original
  std::vector<std::pair<std::string, double>> totals;  // in their order
};
LabelledResult labelled_result(const nlohmann::json& result, const std::string& name);

// Columns in the order the results name them, methods of one initialisation side by side. Two results of one cell, or
// of different protocols in one row, are an Error.
ResultTable tabulate(const std::vector<LabelledResult>& results);

std::string shown_cell(const ResultCell& cell);  // "0.653", "0.653*" for the best of a pair, "-"

// As the paper prints it, in LaTeX (booktabs).
std::string latex_of(const ResultTable& table);
std::string markdown_of(const ResultTable& table);

}  // namespace sgf
