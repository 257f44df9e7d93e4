// What is a flat file, and the order in which one is translated; flat_keys.cpp has the meaning of each single key.
#include "sgf/config/flat_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "sgf/config/config_schema.h"
#include "sgf/config/flat_parts.h"
#include "sgf/config/flat_reader.h"
#include "sgf/config/settings.h"
#include "sgf/core/error.h"

namespace sgf {
namespace {

// Keys that a file with sections would hardly have by mistake.
constexpr std::array kTellTale = {
    "denoising_step_list",    "generator_ckpt", "image_or_video_shape",    "model_kwargs",
    "num_frame_per_block",    "real_name",      "distribution_loss",       "trainer",
    "dfake_gen_update_ratio", "lr_critic",      "independent_first_frame", "warp_denoising_step",
    "generator_type"};
constexpr std::string_view kNested = "model_kwargs";

bool has_tell_tale(const ConfigNode& tree) {
  return std::any_of(kTellTale.begin(), kTellTale.end(), [&](const char* key) { return tree.find(key) != nullptr; });
}

std::set<std::string, std::less<>> our_first_parts() {
  std::set<std::string, std::less<>> parts;
  for (const KeyHelp& key : list_keys<Config>()) parts.insert(first_part(key.key));
  return parts;
}

bool is_our_key(std::string_view name) {
  static const std::set<std::string, std::less<>> ours = our_first_parts();  // list_keys spells all defaults
  return ours.contains(name);
}

bool is_our_section(const ConfigEntry& entry) {
  return entry.value.kind == ConfigNode::Kind::kMapping && is_our_key(entry.key);
}

// For reading the window and the steps of a published model, as `sgf generate --config` does.
void take_inference(FlatReader& file) {
  const std::string reason =
      "an inference file without trainer and learning rate cannot be trained: use it with sgf generate --config, and "
      "train with the training file of the same model, such as longlive_train_init.yaml";
  file.refuse_training(file.file().origin.source + ": " + reason);
  file.note("(trainer)", "", reason);
}

// The release's max_steps ends a run only if it is above 0.
void take_steps_of_run(FlatReader& file) {
  constexpr const char *kKey = "max_steps", *kOurs = "train.steps";
  const bool is_endless = file.has(kKey) && file.value_or<int64_t>(kKey, 1) <= 0;
  if (file.has(kKey) && !is_endless) return file.put(kOurs, *file.find(kKey));
  if (!file.has("max_iters"))
    file.note(file.has(kKey) ? kKey : "(max_steps)", kOurs,
              "its trainer runs until it is killed; here the preset's number of steps applies");
}

void take_training(FlatReader& file) {
  take_batch(file);
  take_ema(file);
  take_steps_of_run(file);
}

void take_name(FlatReader& file) {
  file.put("name", std::filesystem::path(file.file().origin.source).stem().string());
  file.put("description", std::string("from a flat, Self-Forcing-style file"));
}

}  // namespace

bool is_flat_config(const ConfigNode& tree) {
  return has_tell_tale(tree) && std::none_of(tree.entries.begin(), tree.entries.end(), is_our_section);
}

FlatTranslation translate_flat(const ConfigNode& flat) {
  refuse_sections_of_longlive(flat);
  FlatReader file(flat);
  refuse_other_methods(file);
  take_name(file);
  file.take_keys();
  take_sizes(file);
  take_window(file);
  take_networks(file);
  take_stage(file);
  take_numerics(file);
  take_adapter(file);
  if (is_inference_only(file))
    take_inference(file);
  else
    take_training(file);
  file.note_the_rest();
  return std::move(file).result();
}

void refuse_flat_keys(const ConfigNode& tree) {
  refuse_sections_of_longlive(tree);
  if (!has_tell_tale(tree)) return;
  for (const ConfigEntry& entry : tree.entries) {
    const std::vector<FlatKey> rows = flat_rows_of(entry.key);
    if (is_our_key(entry.key) || (rows.empty() && entry.key != kNested)) continue;
    const std::string_view ours = rows.empty() ? "context" : rows[0].ours;
    fail("{}: {} is a key of flat, Self-Forcing-style files, which cannot be mixed with sections{}",
         entry.origin.where(), entry.key, ours.empty() ? "" : fmt::format("; use {}", ours));
  }
}

void refuse_flat_override(std::string_view assignment) {
  const std::string_view key = assignment.substr(0, assignment.find('='));
  const std::vector<FlatKey> rows = flat_rows_of(key);
  if (rows.empty() || is_our_key(key)) return;
  const bool has_ours = rows[0].use == FlatUse::kSame || rows[0].use == FlatUse::kDerived;
  fail("--set {}: overrides use the keys of this program; {} is {}", assignment, key,
       has_ours ? rows[0].ours : "none of them");
}

}  // namespace sgf
