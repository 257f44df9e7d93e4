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

void run_config(const ConfigArgs& args) {
  if (args.keys) return print_keys(args.json);
  SGF_CHECK(!args.json || args.resolved, "--json needs --resolved or --keys");
  SGF_CHECK(!args.file.empty(), "a config is missing; pass a YAML file or a preset, or --keys");
  const Config config = load_and_explain(args.file, args.overrides);
  if (args.resolved) {
    print_lines(stdout, args.json ? printable_json(to_json(config)) + "\n" : to_yaml(config));
  } else {
    explain_needs(config);
    say("{}: fine; {}{}{}", args.file, config.name, config.description.empty() ? "" : ", ", config.description);
  }
}

}  // namespace

void add_config(CLI::App& app) {
  auto args = std::make_shared<ConfigArgs>();
  CLI::App* command = app.add_subcommand("config", "Check a config, print all its settings, or list the keys");
  command->footer(
      "Examples:\n"
      "  sgf config world-tiny\n"
      "  sgf config world-tiny --set train.steps=400 --resolved > my.yaml\n"
      "  sgf config --keys learning_rate");
  suggest(*command->add_option("file", args->file, "YAML file or preset")->type_name("CONFIG"), preset_names());
  command->add_option("--set", args->overrides, "override of one key, as model.dim=96; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--resolved", args->resolved, "print every setting as YAML, with bases and overrides applied");
  command->add_flag("--keys", args->keys, "list every key with its type, default and meaning");
  command->add_flag("--json", args->json, "print --resolved or --keys as JSON");
  command->callback([args] { run_config(*args); });
}

}  // namespace sgf
