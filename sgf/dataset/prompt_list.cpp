#include "sgf/dataset/prompt_list.h"

#include "sgf/core/error.h"
#include "sgf/core/noise.h"
#include "sgf/files/text_file.h"

#include <algorithm>

namespace sgf {

std::vector<std::string> read_prompts(const std::filesystem::path& path) {
  const std::string text = read_text_file(path, "prompts, one per line");
  std::vector<std::string> prompts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    if (std::string line = trimmed(text.substr(at, end - at)); !line.empty()) prompts.push_back(std::move(line));
    at = end + 1;
  }
  SGF_CHECK(!prompts.empty(), "{}: contains no prompts; write one per line", path.string());
  return prompts;
}

PromptOrder::PromptOrder(int64_t prompts, uint64_t seed) : prompts_(prompts), seed_(seed) {
  SGF_CHECK(prompts > 0, "the number of prompts must be at least 1, got {}", prompts);
}

// A permutation of 0..n-1 without a table: a Feistel network on the smallest even number of bits that hold n, repeated
// until the result is below n.
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
