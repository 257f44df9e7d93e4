#include "sgf/data/text_file.h"

#include "sgf/core/error.h"

#include <fstream>
#include <iterator>
#include <string_view>

namespace sgf {
namespace {

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80                   ? 1
                          : lead >= 0xC2 && lead < 0xE0 ? 2
                          : lead >= 0xE0 && lead < 0xF0 ? 3
                          : lead >= 0xF0 && lead < 0xF5 ? 4
                                                        : 0;
    if (length == 0 || i + length > text.size() || lead == 0) return false;
    for (size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    i += length;
  }
  return true;
}

}  // namespace

std::string trimmed(const std::string& line) {
  constexpr const char* kBlank = " \t\r\n";
  const size_t first = line.find_first_not_of(kBlank);
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

std::string read_text_file(const std::filesystem::path& path, const std::string& what) {
  check(std::filesystem::exists(path), "data", "{}: no such file of {}", path.string(), what);
  check(std::filesystem::is_regular_file(path), "data", "{}: a file of {} was expected", path.string(), what);
  std::ifstream file(path, std::ios::binary);
  check(file.good(), "data", "{}: cannot be read", path.string());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  check(is_utf8(text), "data", "{}: not UTF-8 text; {} were expected", path.string(), what);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace sgf
