// Tables with aligned columns, and numbers and names in a readable form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// Columns are as wide as their widest cell; a column of numbers is aligned to the right. Cells pass through
// printable(). The header is bold on a terminal only.
class Table {
 public:
  explicit Table(std::vector<std::string> headers);

  // As many cells as there are headers.
  void add(std::vector<std::string> cells);
  bool is_empty() const { return rows_.empty(); }

  std::string text() const;
  void print() const;  // to stdout

 private:
  std::vector<std::string> headers_;
  std::vector<std::vector<std::string>> rows_;
};

std::string shown_bytes(uint64_t bytes);  // "2.84 GB"
std::string shown_error(double error);    // "1.25e-07"; "nan" whatever the sign of a NaN
std::string shown_count(int64_t count);   // "1,418,996,800"

std::string shown_name(std::string_view name);  // printable(), cut after 120 bytes

}  // namespace sgf
