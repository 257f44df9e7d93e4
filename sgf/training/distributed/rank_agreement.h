// The values that must be equal on all ranks of a run, and the message for the first difference. Torch-free.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct RunTerm {
  std::string key;  // "optimiser.learning_rate", "commit", "content of data.prompts"
  std::string value;
};
using RunTerms = std::vector<RunTerm>;  // in the order of comparison; keys are unique

// The terms as one text for the store. Values may hold any bytes, since paths may.
std::string write_terms(const RunTerms& terms);
RunTerms read_terms(std::string_view text);

// A term that is missing on one side is empty there.
struct TermDifference {
  std::string key;
  std::optional<std::string> first, other;
};

// In the order of `first`, then terms that only `other` has.
std::optional<TermDifference> first_difference(const RunTerms& first, const RunTerms& other);

// One sentence with the key, both values and the names of both ranks.
std::string describe_difference(const TermDifference& difference, const std::string& first_name,
                                const std::string& other_name);

}  // namespace sgf
