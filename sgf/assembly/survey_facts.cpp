#include "sgf/assembly/survey_facts.h"

#include "sgf/files/path_kind.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sgf {

namespace fs = std::filesystem;

uint64_t bytes_of(const fs::path& path) {
  std::error_code ignored;
  if (!is_folder(path)) {
    const uintmax_t bytes = fs::file_size(path, ignored);
    return ignored ? 0 : bytes;  // of a pipe, the largest number
  }
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  return bytes;
}

uint64_t bytes_of(const TensorFile& file) {
  uint64_t bytes = 0;
  for (const auto& mapped : file.files) bytes += mapped->bytes().size();
  return bytes;
}

std::string dtypes_of(const TensorFile& file) {
  std::map<std::string, int64_t> counts;
  for (const TensorEntry& entry : file.entries) counts[std::string(name_of(entry.dtype))] += 1;
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} tensors {}", count, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

// "blocks.0.ffn.0.weight is missing; ... and 12 more problems"
std::string first_faults(std::vector<std::string> faults) {
  constexpr size_t kShown = 3;
  const size_t total = faults.size();
  faults.resize(std::min(total, kShown));
  return fmt::format("{}{}", fmt::join(faults, "; "),
                     total > kShown ? fmt::format("; and {} more problems", total - kShown) : "");
}

}  // namespace

std::string faults_of(const std::vector<std::string>& missing, const std::vector<std::string>& mismatched) {
  std::vector<std::string> faults = mismatched;
  for (const std::string& name : missing) faults.push_back(name + " is missing");
  return first_faults(std::move(faults));
}

std::string faults_of(const DitReport& dit) {
  if (!dit.unsupported.empty()) return dit.unsupported;
  if (!dit.config) return dit.config_source;
  return faults_of(dit.missing, dit.mismatched);
}

std::string size_of(const DitReport& dit) {
  if (!dit.preset.empty()) return dit.preset;
  return dit.config ? fmt::format("DiT of dim {} with {} layers", dit.config->dim, dit.config->num_layers)
                    : "DiT of unknown size";
}

}  // namespace sgf
