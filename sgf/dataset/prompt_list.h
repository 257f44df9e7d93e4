// A file of prompts, one per line: every prompt once per epoch, in an order that depends only on the seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// The lines in order, without blank lines, byte-order mark and carriage returns. Throws Error if the file is missing,
// empty or not UTF-8.
std::vector<std::string> read_prompts(const std::filesystem::path& path);

class PromptOrder {
 public:
  PromptOrder(int64_t prompts, uint64_t seed);

  // The prompt at position `number` of an endless sequence over all epochs.
  int64_t at(int64_t number) const;

 private:
  int64_t prompts_;
  uint64_t seed_;
};

}  // namespace sgf
