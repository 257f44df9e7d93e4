// Compares the tensors of a file with those that a network needs.
#pragma once

#include "sgf/files/tensor_file.h"

#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace sgf {

struct TensorComparison {
  std::vector<std::string> missing;     // names that the network expects
  std::vector<std::string> unexpected;  // names in the file
  std::vector<std::string> mismatched;  // "norm.weight: [3], expected [64]"
};

// `found` has the names of `expected`, whose elements are {name, shape}.
template <class NamedShape>
TensorComparison compare_tensors(const std::vector<NamedShape>& expected,
                                 const std::map<std::string, const TensorEntry*>& found) {
  TensorComparison compared;
  std::set<std::string> known;
  for (const NamedShape& weight : expected) {
    known.insert(weight.name);
    const auto entry = found.find(weight.name);
    if (entry == found.end()) {
      compared.missing.push_back(weight.name);
    } else if (entry->second->shape != weight.shape) {
      compared.mismatched.push_back(fmt::format("{}: [{}], expected [{}]", weight.name,
                                                fmt::join(entry->second->shape, ", "), fmt::join(weight.shape, ", ")));
    }
  }
  for (const auto& [name, entry] : found) {
    if (!known.contains(name)) compared.unexpected.push_back(entry->name);
  }
  return compared;
}

}  // namespace sgf
