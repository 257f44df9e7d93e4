#include "apps/table.h"

#include "apps/say.h"
#include "sgf/core/error.h"
#include "sgf/core/printable.h"
#include "sgf/core/terminal_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace sgf {
namespace {

using Cells = std::vector<std::string>;

bool looks_like_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text == "nan" || text == "inf" || (!text.empty() && text[0] >= '0' && text[0] <= '9');
}

struct Column {
  size_t width = 0;
  bool is_number = true;
};

std::vector<Column> measure(const Cells& headers, const std::vector<Cells>& rows) {
  std::vector<Column> columns(headers.size());
  for (size_t i = 0; i < headers.size(); ++i) {
    columns[i].width = terminal_columns(headers[i]);
    for (const Cells& row : rows) {
      columns[i].width = std::max(columns[i].width, terminal_columns(row[i]));
      columns[i].is_number = columns[i].is_number && (row[i].empty() || looks_like_number(row[i]));
    }
  }
  return columns;
}

std::string line_of(const Cells& cells, const std::vector<Column>& columns) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(columns[i].width - terminal_columns(cells[i]), ' ');
    if (i > 0) line += "  ";
    line += columns[i].is_number ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

Table::Table(std::vector<std::string> headers) : headers_(std::move(headers)) {
  for (std::string& header : headers_) header = printable(header);
}

void Table::add(std::vector<std::string> cells) {
  SGF_CHECK(cells.size() == headers_.size(), "a row of {} cells in a table of {}", cells.size(), headers_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  const std::vector<Column> columns = measure(headers_, rows_);
  std::string text = line_of(headers_, columns) + "\n";
  for (const Cells& row : rows_) text += line_of(row, columns) + "\n";
  return text;
}

void Table::print() const {
  const std::string all = text();
  const size_t header = all.find('\n');
  say_bold(all.substr(0, header));
  print_lines(stdout, all.substr(header + 1));
}

std::string shown_bytes(uint64_t bytes) {
  constexpr std::array kUnits{"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.3g} {}", size, kUnits[unit]);
}

std::string shown_error(double error) { return std::isnan(error) ? "nan" : fmt::format("{:.2e}", error); }

std::string shown_count(int64_t count) {
  std::string digits = fmt::format("{}", count);
  for (size_t at = digits.size(); at > 3 && digits[at - 4] != '-';) digits.insert(at -= 3, ",");
  return digits;
}

std::string shown_name(std::string_view name) {
  constexpr size_t kLongest = 120;
  return printable(name, kLongest);
}

}  // namespace sgf
