#include "sgf/files/text_file.h"

#include "sgf/core/error.h"
#include "sgf/core/out_of_memory.h"
#include "sgf/core/utf8.h"

#include <fstream>
#include <iterator>
#include <string_view>

namespace sgf {
namespace {

void check_utf8(std::string_view text, const std::filesystem::path& path, const std::string& what) {
  if (is_utf8(text)) return;
  const std::string_view encoding = foreign_encoding(text);
  SGF_CHECK(!encoding.empty(), "{}: is not UTF-8 text, expected {}", path.string(), what);
  fail("{0}: is {1} text, expected UTF-8 ({2}); convert it: iconv -f {1} -t UTF-8 OLD > NEW", path.string(), encoding,
       what);
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = text.front() == '\0' ? 0 : utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string trimmed(const std::string& line) {
  constexpr const char* kBlank = " \t\r\n";
  const size_t first = line.find_first_not_of(kBlank);
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

std::string read_text_file(const std::filesystem::path& path, const std::string& what) try {
  SGF_CHECK(std::filesystem::exists(path), "{}: does not exist, expected a file of {}", path.string(), what);
  SGF_CHECK(std::filesystem::is_regular_file(path), "{}: is not a regular file, expected a file of {}", path.string(),
            what);
  std::ifstream file(path, std::ios::binary);
  SGF_CHECK(file.good(), "{}: cannot be read", path.string());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  check_utf8(text, path, what);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
} catch (const std::bad_alloc& error) {
  rethrow_out_of_memory(error, "reading " + path.string());
}

}  // namespace sgf
