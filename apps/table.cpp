#include "apps/table.h"

#include "sgf/core/error.h"
#include "sgf/core/yaml_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace sgf {
namespace {

using Cells = std::vector<std::string>;

// In characters: the bytes of UTF-8 that go on a character take no room.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

bool looks_like_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text == "nan" || text == "inf" || (!text.empty() && text[0] >= '0' && text[0] <= '9');
}

// Controls, and what breaks a line or turns its direction: U+2028 to U+202E, U+2066 to U+2069.
bool paints_a_terminal(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.back());
  if (character.size() == 1) return byte < 0x20 || byte == 0x7f;
  if (character.size() == 2) return character[0] == '\xc2' && byte < 0xa0;
  return (character.starts_with("\xe2\x80") && byte >= 0xa8 && byte <= 0xae) ||
         (character.starts_with("\xe2\x81") && byte >= 0xa6 && byte <= 0xa9);
}

struct Column {
  size_t width = 0;
  bool is_number = true;
};

std::vector<Column> measure(const Cells& headers, const std::vector<Cells>& rows) {
  std::vector<Column> columns(headers.size());
  for (size_t i = 0; i < headers.size(); ++i) {
    columns[i].width = width_of(headers[i]);
    for (const Cells& row : rows) {
      columns[i].width = std::max(columns[i].width, width_of(row[i]));
      columns[i].is_number = columns[i].is_number && (row[i].empty() || looks_like_number(row[i]));
    }
  }
  return columns;
}

std::string line_of(const Cells& cells, const std::vector<Column>& columns) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(columns[i].width - width_of(cells[i]), ' ');
    if (i > 0) line += "  ";
    line += columns[i].is_number ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

Table::Table(std::vector<std::string> headers) : headers_(std::move(headers)) {}

void Table::add(std::vector<std::string> cells) {
  check(cells.size() == headers_.size(), "apps", "a row of {} cells in a table of {}", cells.size(), headers_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(bool is_terminal) const {
  const std::vector<Column> columns = measure(headers_, rows_);
  const std::string header = line_of(headers_, columns);
  std::string text = is_terminal ? fmt::format("\x1b[1m{}\x1b[0m\n", header) : header + "\n";
  for (const Cells& row : rows_) text += line_of(row, columns) + "\n";
  return text;
}

void Table::print() const { fmt::print("{}", text(stdout_is_terminal())); }

bool stdout_is_terminal() {
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
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

std::string printable(std::string_view text, size_t longest) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (at >= longest) return out + "...";
    const std::string_view character = text.substr(at, std::max<size_t>(1, utf8_length(text.substr(at))));
    const bool is_plain = utf8_length(character) > 0 && !paints_a_terminal(character);
    if (is_plain) out += character;
    if (!is_plain)
      for (const char byte : character) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    at += character.size();
  }
  return out;
}

}  // namespace sgf
