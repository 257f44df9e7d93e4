#include "sgf/weights/weight_report.h"

#include "sgf/core/error.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/compare_tensors.h"
#include "sgf/weights/own_file.h"
#include "sgf/weights/stored_config.h"
#include "sgf/weights/weight_folder.h"
#include "sgf/weights/weight_origin.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

namespace sgf {
namespace {

constexpr std::array<std::string_view, 9> kOuterKeys{
    "generator", "generator_ema", "critic", "model", "state_dict", "ema", "generator_lora", "critic_lora", "optimizer"};

using RoleOf = std::map<std::string_view, std::string_view>;  // tensor name -> outer key

RoleOf roles_of_dits(const std::vector<DitWeightIndex>& dits) {
  RoleOf roles;
  for (const DitWeightIndex& dit : dits) {
    for (const auto& [official, entry] : dit.tensors) roles[entry->name] = dit.role;
    for (const std::string& name : dit.unexpected) roles[name] = dit.role;
  }
  return roles;
}

// Outside a DiT, the first part of a name counts as an outer key if it is a common one or occurs beside a DiT's.
std::string_view role_of(const TensorEntry& entry, const RoleOf& known, bool is_nested) {
  const auto found = known.find(entry.name);
  if (found != known.end()) return found->second;
  const std::string_view name = entry.name;
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return "";
  const std::string_view first = name.substr(0, dot);
  return is_nested || std::ranges::find(kOuterKeys, first) != kOuterKeys.end() ? first : "";
}

bool is_ema_name(std::string_view role) { return role.find("ema") != std::string_view::npos; }

std::vector<RoleReport> report_roles(const TensorFile& file, const std::vector<DitWeightIndex>& dits) {
  const RoleOf known = roles_of_dits(dits);
  const bool is_nested = std::ranges::any_of(dits, [](const DitWeightIndex& dit) { return !dit.role.empty(); });
  std::vector<RoleReport> roles;
  for (const TensorEntry& entry : file.entries) {
    const std::string_view name = role_of(entry, known, is_nested);
    auto role = std::ranges::find(roles, name, &RoleReport::name);
    if (role == roles.end()) {
      roles.push_back({.name = std::string(name), .is_ema = is_ema_name(name), .dit = std::nullopt});
      role = roles.end() - 1;
    }
    role->tensors += 1;
    role->parameters += entry.element_count();
  }
  return roles;
}

void choose_config(DitReport& report, const DitWeightIndex& dit, const StoredConfig& stored) {
  report.config = stored.config;
  report.config_source = stored.source;
  if (report.config) return;
  try {
    report.config = infer_dit_sizes(dit);
    report.config_source = "shapes";
    report.config = infer_dit_config(dit);
  } catch (const Error& error) {
    // Sizes without heads are still worth comparing; without sizes only the reason is reported.
    if (!report.config) report.config_source = error.what();
  }
}

void compare(DitReport& report, const DitWeightIndex& dit) {
  TensorComparison compared = compare_tensors(expected_dit_weights(*report.config), dit.tensors);
  report.missing = std::move(compared.missing);
  report.mismatched = std::move(compared.mismatched);
  std::ranges::move(compared.unexpected, std::back_inserter(report.unexpected));
}

DitReport report_dit(const DitWeightIndex& dit, const StoredConfig& stored) {
  DitReport report;
  report.naming = dit.naming;
  report.prefixes = dit.prefixes;
  report.unexpected = dit.unexpected;
  report.unsupported = dit.unsupported;
  choose_config(report, dit, stored);
  if (!report.config) return report;
  report.preset = preset_name_of(*report.config);
  compare(report, dit);
  return report;
}

void count_elements(WeightReport& report, const TensorFile& file) {
  for (const TensorEntry& entry : file.entries) {
    DtypeCount& count = report.dtypes[std::string(name_of(entry.dtype))];
    count.tensors += 1;
    count.elements += entry.element_count();
    report.parameters += entry.element_count();
  }
  report.tensors = static_cast<int64_t>(file.entries.size());
  for (const auto& mapped : file.files) report.bytes += mapped->bytes().size();
}

// Entries in the order of their bytes: a group continues while the next entry starts before the group's end.
std::vector<std::vector<std::string>> find_shared(const TensorFile& file) {
  std::vector<const TensorEntry*> order;
  for (const TensorEntry& entry : file.entries) {
    if (entry.extent > 0) order.push_back(&entry);
  }
  std::ranges::stable_sort(order, {}, [](const TensorEntry* entry) { return std::pair(entry->file, entry->offset); });

  std::vector<std::vector<std::string>> groups;
  std::pair<size_t, uint64_t> end{0, 0};
  for (const TensorEntry* entry : order) {
    if (groups.empty() || std::pair(entry->file, entry->offset) >= end) groups.emplace_back();
    groups.back().push_back(entry->name);
    end = std::max(end, std::pair(entry->file, entry->offset + entry->extent));
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

std::string format_problem(const TensorFile& file, const std::filesystem::path& path) {
  try {
    check_format(file, path);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

bool WeightReport::has_ema() const { return std::ranges::any_of(roles, &RoleReport::is_ema); }

WeightReport report_weights(const TensorFile& file, const std::filesystem::path& path) {
  const std::vector<DitWeightIndex> dits = may_hold_network(file) ? find_dits(file) : std::vector<DitWeightIndex>{};
  WeightReport report;
  report.path = path.string();
  report.format = describe_container(file);
  report.content = describe_own_file(file);
  report.written_by = guess_writer(file, dits);
  report.unindexed = file.unindexed;
  report.problem = format_problem(file, path);
  report.is_readable = report.problem.empty();
  report.hint = shard_hint(path);
  report.roles = report_roles(file, dits);
  if (path.stem() == "ema")  // of a checkpoint: the file's name says what its tensors' names do not
    for (RoleReport& role : report.roles) role.is_ema = true;
  count_elements(report, file);
  report.shared = find_shared(file);
  if (dits.empty()) return report;

  const StoredConfig stored = find_stored_config(file, path);
  if (report.problem.empty()) report.problem = stored.problem;
  for (const DitWeightIndex& dit : dits) {
    std::ranges::find(report.roles, dit.role, &RoleReport::name)->dit = report_dit(dit, stored);
  }
  return report;
}

}  // namespace sgf
