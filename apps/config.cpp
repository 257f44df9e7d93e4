// `sgf config FILE`: checks a config, prints it in full, or lists what can be set.
#include "sgf/config/config.h"
#include "apps/commands.h"
#include "apps/config_notes.h"
#include "apps/option_values.h"
#include "sgf/assembly/preset_folders.h"

#include "apps/say.h"
#include "apps/table.h"
#include "sgf/core/error.h"
#include "sgf/core/printable.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>

namespace sgf {
namespace {

struct ConfigArgs {
  std::string file;
  std::vector<std::string> overrides;
  bool resolved = false;
  bool keys = false;
  bool json = false;
};

void print_keys(bool as_json) {
  Table table({"key", "type", "default", "meaning"});
  nlohmann::json list = nlohmann::json::array();
  for (const KeyHelp& key : known_keys()) {
    table.add({key.key, key.type, key.default_value, key.help});
    list.push_back({{"key", key.key}, {"type", key.type}, {"default", key.default_value}, {"help", key.help}});
  }
  if (as_json) {
    say_json(list);
  } else {
    table.print();
  }
}

// One verdict: a preset is valid without the runs and files that training needs beside it.
void print_check(const ConfigArgs& args, const Config& config) {
  const std::vector<std::string> needs = needs_of_training(config);
  if (args.json)
    return say_json({{"file", args.file},
                     {"name", config.name},
                     {"description", config.description},
                     {"valid", true},
                     {"training_needs", needs}});
  say("{}: valid; {}{}{}", args.file, config.name, config.description.empty() ? "" : ", ", config.description);
  if (!needs.empty()) say("to train it, sgf train also needs:");
  for (const std::string& need : needs) say("  {}", need);
}

void run_config(const ConfigArgs& args) {
  if (args.keys) return print_keys(args.json);
  SGF_CHECK(!args.file.empty(), "name a config file or a preset, or ask for --keys");
  const Config config = load_and_explain(args.file, args.overrides);
  if (args.resolved) {
    print_lines(stdout, args.json ? printable_json(to_json(config)) + "\n" : to_yaml(config));
  } else {
    print_check(args, config);
  }
}

}  // namespace

void add_config(CLI::App& app) {
  auto args = std::make_shared<ConfigArgs>();
  CLI::App* command = app.add_subcommand("config", "Check a config, print it in full, or list what can be set");
  suggest(*command->add_option("file", args->file, "YAML file, or the name of a preset"), preset_names());
  command->add_option("--set", args->overrides, "Override one key, as model.dim=96; may be given again")
      ->allow_extra_args(false);
  command->add_flag("--resolved", args->resolved, "Print every setting, bases and overrides applied");
  command->add_flag("--keys", args->keys, "List every key with its type, default and meaning");
  command->add_flag("--json", args->json, "Print the verdict, the resolved config or the list of keys as JSON");
  command->callback([args] { run_config(*args); });
}

}  // namespace sgf
