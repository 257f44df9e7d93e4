// A file of prompts, one a line: every prompt once an epoch, in an order of the seed's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Lines in their order; blank ones are left out, a byte-order mark and carriage returns too. A missing file, an empty
// one and one that is no UTF-8 text are Errors.
std::vector<std::string> read_prompts(const std::filesystem::path& path);

class PromptOrder {
 public:
  PromptOrder(int64_t prompts, uint64_t seed);

  // Which prompt stands at place `number` of an endless run through all epochs.
  int64_t at(int64_t number) const;

 private:
  int64_t prompts_;
  uint64_t seed_;
};

}  // namespace sgf
