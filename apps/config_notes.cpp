#include "apps/config_notes.h"

#include "apps/say.h"
#include "apps/table.h"
#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace sgf {
namespace {

// What is used first, then what is not.
void explain(const std::string& file, const std::vector<FlatNote>& notes) {
  Table table({"key in file", "sgf key", "remark"});
  for (const bool is_used : {true, false})
    for (const FlatNote& note : notes)
      if (note.ours.empty() != is_used) table.add({note.key, is_used ? note.ours : "not used", note.remark});
  remark("{}: a flat config in the style of Self-Forcing, translated as follows; keys in brackets are not in the file",
         file);
  print_lines(stderr, table.text() + "\n");
}

LoadedConfig load_with_table(const std::string& file_or_preset, const std::vector<std::string>& overrides) {
  LoadedConfig loaded = load_config_with_notes(file_or_preset, overrides, preset_folders());
  if (!loaded.flat_notes.empty()) explain(file_or_preset, loaded.flat_notes);
  return loaded;
}

Config trainable(LoadedConfig loaded) {
  SGF_CHECK(loaded.not_for_training.empty(), "{}", loaded.not_for_training);
  return std::move(loaded.config);
}

}  // namespace

std::vector<std::string> needs_of_training(const Config& config) {
  std::vector<std::string> needs = unmet_needs(config);
  std::ranges::copy(missing_files(config), std::back_inserter(needs));
  return needs;
}

Config load_and_explain(const std::string& file_or_preset, const std::vector<std::string>& overrides) {
  return load_with_table(file_or_preset, overrides).config;
}

Config load_for_training(const std::string& file_or_preset, const std::vector<std::string>& overrides) {
  return trainable(load_with_table(file_or_preset, overrides));
}

Config load_trainable(const std::string& file_or_preset, const std::vector<std::string>& overrides) {
  return trainable(load_config_with_notes(file_or_preset, overrides, preset_folders()));
}

}  // namespace sgf
