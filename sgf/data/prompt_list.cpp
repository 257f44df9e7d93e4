#include "sgf/data/prompt_list.h"

#include "sgf/core/error.h"
#include "sgf/core/noise.h"

#include <fstream>
#include <iterator>

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

std::string trimmed(const std::string& line) {
  constexpr const char* kBlank = " \t\r\n";
  const size_t first = line.find_first_not_of(kBlank);
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

std::string read_whole(const std::filesystem::path& path) {
  check(std::filesystem::exists(path), "data", "{}: no such file of prompts", path.string());
  check(std::filesystem::is_regular_file(path), "data", "{}: a file of prompts, one a line, was expected",
        path.string());
  std::ifstream file(path, std::ios::binary);
  check(file.good(), "data", "{}: the prompts cannot be read", path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<std::string> read_prompts(const std::filesystem::path& path) {
  std::string text = read_whole(path);
  check(is_utf8(text), "data", "{}: not UTF-8 text; prompts are one a line", path.string());
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::vector<std::string> prompts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (std::string line = trimmed(text.substr(at, end - at)); !line.empty()) prompts.push_back(std::move(line));
    at = end + 1;
  }
  check(!prompts.empty(), "data", "{}: holds no prompt; write one a line", path.string());
  return prompts;
}

PromptOrder::PromptOrder(int64_t prompts, uint64_t seed) : prompts_(prompts), seed_(seed) {
  check(prompts > 0, "data", "an order of prompts needs at least one, got {}", prompts);
}

// A permutation of 0..n-1 that needs no table: a Feistel network on the smallest even number of bits that hold n,
// walked until it lands below n.
int64_t PromptOrder::at(int64_t number) const {
  const int64_t epoch = number / prompts_;
  int half = 1;
  while ((int64_t{1} << (2 * half)) < prompts_) ++half;
  const int64_t mask = (int64_t{1} << half) - 1;
  int64_t value = number % prompts_;
  do {
    int64_t left = value >> half, right = value & mask;
    for (int64_t round = 0; round < 4; ++round) {
      const NoiseKey key{
          .seed = seed_, .purpose = NoisePurpose::kPrompt, .sample = epoch, .block = right, .step = round};
      const int64_t mixed = left ^ (uniform_index(key, mask + 1));
      left = right;
      right = mixed;
    }
    value = (left << half) | right;
  } while (value >= prompts_);
  return value;
}

}  // namespace sgf
