// Finds a DiT among the names of a file, and chooses one if there are several.
#include "sgf/weights/weight_names.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/weights/lora_file.h"
#include "sgf/weights/placed_name.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

namespace sgf {
namespace {

using RoleOrder = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> kInferenceRoles{"generator_ema", "generator", "model", "state_dict", ""};
constexpr std::array<std::string_view, 5> kTrainingRoles{"generator", "model", "generator_ema", "state_dict", ""};
constexpr std::array<std::string_view, 6> kCriticRoles{"critic",        "generator",  "model",
                                                       "generator_ema", "state_dict", ""};

// One block alone has 27 weights. The few gradients that a recording stores under the weights' names do not count.
constexpr size_t kFewestWeights = 20;

using DitsByRole = std::map<std::string, DitWeightIndex>;

bool is_image_to_video(std::string_view weight) {
  constexpr std::array<std::string_view, 7> kMarks{"img_emb.",         ".k_img.",      ".v_img.",       ".norm_k_img.",
                                                   ".image_embedder.", ".add_k_proj.", ".norm_added_k."};
  return std::ranges::any_of(kMarks,
                             [&](std::string_view mark) { return weight.find(mark) != std::string_view::npos; });
}

bool is_memory_twin(std::string_view weight) {
  return weight.starts_with("memory_") || weight.find(".memory_") != std::string_view::npos;
}

std::string reason_against(std::string_view weight) {
  if (is_memory_twin(weight)) return "SGF+ (memory_* twins of the weights) is not supported yet";
  if (is_image_to_video(weight)) return "image-to-video (img_emb, k_img, v_img) is not supported";
  return "";
}

void note_prefixes(DitWeightIndex& dit, const std::vector<std::string>& prefixes) {
  for (const std::string& prefix : prefixes) {
    if (std::ranges::find(dit.prefixes, prefix) == dit.prefixes.end()) dit.prefixes.push_back(prefix);
  }
}

void add_weight(DitWeightIndex& dit, const PlacedName& placed, const TensorEntry& entry) {
  note_prefixes(dit, placed.prefixes);
  const std::optional<std::string> official = official_name(placed.weight);
  if (!official) {
    dit.unexpected.push_back(entry.name);
    if (dit.unsupported.empty()) dit.unsupported = reason_against(placed.weight);
    return;
  }
  if (*official != placed.weight) dit.naming = "diffusers";
  const auto [first, is_new] = dit.tensors.emplace(*official, &entry);
  if (!is_new && dit.unsupported.empty()) {
    dit.unsupported =
        fmt::format("{} and {} are both {}", in_quotes(first->second->name), in_quotes(entry.name), *official);
  }
}

// Norms alone are no sign of one: UMT5's of 24 layers have the names that diffusers gives a DiT's.
bool has_more_than_norms(const DitWeightIndex& dit) {
  return std::ranges::any_of(dit.tensors,
                             [](const auto& weight) { return weight.first.find("norm") == std::string::npos; });
}

DitsByRole place_weights(const TensorFile& file, std::vector<const TensorEntry*>& elsewhere) {
  DitsByRole dits;
  for (const TensorEntry& entry : file.entries) {
    const std::optional<PlacedName> placed = place_name(entry.name);
    if (placed) {
      DitWeightIndex& dit = dits[placed->role];
      dit.role = placed->role;
      add_weight(dit, *placed, entry);
    } else {
      elsewhere.push_back(&entry);
    }
  }
  std::erase_if(dits, [](const auto& role_and_dit) {
    const auto& [role, dit] = role_and_dit;
    return dit.tensors.size() < kFewestWeights || role.starts_with("grad") || !has_more_than_norms(dit);
  });
  return dits;
}

bool lies_under(std::string_view name, std::string_view role) {
  return name.size() > role.size() && name.starts_with(role) && name[role.size()] == '.';
}

// A name that does not belong to a DiT is assigned to its outer key, or to the bare DiT if there is none.
void claim_the_rest(DitsByRole& dits, const std::vector<const TensorEntry*>& elsewhere) {
  for (const TensorEntry* entry : elsewhere) {
    const auto owner = std::ranges::find_if(
        dits, [&](const auto& dit) { return !dit.first.empty() && lies_under(entry->name, dit.first); });
    const auto bare = dits.find("");
    if (owner != dits.end()) {
      owner->second.unexpected.push_back(entry->name);
    } else if (bare != dits.end()) {
      bare->second.unexpected.push_back(entry->name);
    }
  }
}

RoleOrder roles_for(WeightPurpose purpose) {
  switch (purpose) {
    case WeightPurpose::kInference:
      return kInferenceRoles;
    case WeightPurpose::kTraining:
      return kTrainingRoles;
    case WeightPurpose::kCritic:
      return kCriticRoles;
  }
  fail("no such purpose of weights");
}

size_t preference(const DitWeightIndex& dit, RoleOrder order) {
  return static_cast<size_t>(std::ranges::find(order, dit.role) - order.begin());
}

std::vector<DitWeightIndex> find_dits_in_order(const TensorFile& file, RoleOrder order) {
  std::vector<const TensorEntry*> elsewhere;
  DitsByRole by_role = place_weights(file, elsewhere);
  claim_the_rest(by_role, elsewhere);

  std::vector<DitWeightIndex> dits;
  for (auto& [role, dit] : by_role) {
    for (const auto& [other, unused] : by_role) {
      if (other != role) dit.other_roles.push_back(other);
    }
    if (dit.naming.empty()) dit.naming = "wan";
  }
  for (auto& [role, dit] : by_role) dits.push_back(std::move(dit));
  std::ranges::stable_sort(dits, {}, [&](const DitWeightIndex& dit) { return preference(dit, order); });
  return dits;
}

std::string path_of(const TensorFile& file) {
  if (file.files.empty()) return "(memory)";
  const std::filesystem::path& first = file.files.front()->path();
  return (file.files.size() > 1 ? first.parent_path() : first).string();
}

std::string roles_of(const std::vector<DitWeightIndex>& dits) {
  std::vector<std::string> roles;
  for (const DitWeightIndex& dit : dits) roles.push_back(shown_role(dit.role));
  return fmt::format("{}", fmt::join(roles, ", "));
}

const DitWeightIndex& choose(const std::vector<DitWeightIndex>& dits, const std::optional<std::string>& role,
                             RoleOrder order, const std::string& path) {
  if (role) {
    const auto found = std::ranges::find(dits, *role, &DitWeightIndex::role);
    SGF_CHECK(found != dits.end(), "{}: has no DiT under {}; it has {}", path, shown_role(*role), roles_of(dits));
    return *found;
  }
  const bool is_clear = dits.size() == 1 || preference(dits.front(), order) < order.size();
  SGF_CHECK(is_clear, "{}: contains several DiTs; choose one of them: {}", path, roles_of(dits));
  return dits.front();
}

}  // namespace

std::vector<DitWeightIndex> find_dits(const TensorFile& file) { return find_dits_in_order(file, kInferenceRoles); }

DitWeightIndex index_dit_weights(const TensorFile& file, const std::optional<std::string>& role,
                                 WeightPurpose purpose) {
  const std::string path = path_of(file);
  const RoleOrder order = roles_for(purpose);
  const std::vector<DitWeightIndex> dits = find_dits_in_order(file, order);
  SGF_CHECK(!dits.empty() || !is_lora(file),
            "{}: is a LoRA; pass its base here, and this file with --lora to sgf generate or sgf convert", path);
  const std::string example = file.entries.empty() ? "nothing" : in_quotes(file.entries.front().name);
  SGF_CHECK(!dits.empty(), "{}: contains no Wan DiT; the first of its {} tensors is {}", path, file.entries.size(),
            example);
  const DitWeightIndex& chosen = choose(dits, role, order, path);
  SGF_CHECK(chosen.unsupported.empty(), "{}: {}", path, chosen.unsupported);
  return chosen;
}

std::string shown_role(std::string_view role) { return role.empty() ? "(bare)" : std::string(role); }

std::string describe_role_choice(const DitWeightIndex& index) {
  if (index.other_roles.empty()) return "";
  std::vector<std::string> others;
  for (const std::string& role : index.other_roles) others.push_back(shown_role(role));
  return fmt::format("{}; the file also holds {}", shown_role(index.role), fmt::join(others, ", "));
}

}  // namespace sgf
