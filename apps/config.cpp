// `sgf config FILE`: checks a config, prints it in full, or lists what can be set.
#include "sgf/config/config.h"
#include "apps/commands.h"
#include "apps/config_notes.h"
#include "apps/help/help_page.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/printable.h"
#include "sgf/core/shell_argument.h"
#include "sgf/files/strict_json.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <memory>

namespace sgf {
namespace {

struct ConfigArgs {
  std::string file;
  std::vector<std::string> overrides;
  std::string pattern;  // of keys
  bool resolved = false, keys = false, schema = false, json = false;
};

bool holds_in_any_case(const std::string& text, const std::string& part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::ranges::search(text, part, same).begin() != text.end() || part.empty();
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const KeyHelp& key : known_keys()) names.push_back(key.key);
  return names;
}

std::vector<KeyHelp> matching_keys(const std::string& pattern) {
  std::vector<KeyHelp> keys = known_keys();
  std::erase_if(keys, [&](const KeyHelp& key) {
    return !holds_in_any_case(key.key, pattern) && !holds_in_any_case(key.help, pattern);
  });
  SGF_CHECK(!keys.empty(), "no key has {} in its name or description; sgf config --keys lists all", in_quotes(pattern));
  return keys;
}

// "model.dim" as "/model/dim".
nlohmann::json::json_pointer json_pointer(const std::string& key) {
  std::string path = "/" + key;
  std::ranges::replace(path, '.', '/');
  return nlohmann::json::json_pointer(path);
}

// "dmd|causal_ode" with room to break between the names.
std::string shown_type(const std::string& type) {
  std::string shown;
  for (const char c : type) shown += c == '|' ? std::string(" | ") : std::string(1, c);
  return shown;
}

void print_keys(const std::string& pattern, bool as_json) {
  const nlohmann::json defaults = parse_strict_json(to_json(Config()), "the defaults");
  nlohmann::json list = nlohmann::json::array();
  for (const KeyHelp& key : matching_keys(pattern)) {
    list.push_back(
        {{"key", key.key}, {"type", key.type}, {"default", defaults.at(json_pointer(key.key))}, {"help", key.help}});
    if (as_json) continue;
    say("{} = {}", key.key, key.default_value);
    print_lines(stdout, wrapped(fmt::format("{} ({})", key.help, shown_type(key.type)), help_width(), 4));
  }
  if (as_json) say_json(list);
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

// With --json also what is wrong: editors and scripts read standard output.
Config checked_config(const ConfigArgs& args) {
  try {
    return load_and_explain(args.file, args.overrides);
  } catch (const Error& error) {
    if (args.json) say_json({{"file", args.file}, {"valid", false}, {"error", error.what()}});
    throw;
  }
}

void run_config(const ConfigArgs& args) {
  if (args.keys && !args.file.empty())
    misused(
        fmt::format("--keys lists defaults and cannot be combined with CONFIG; sgf config {} --resolved prints its "
                    "values",
                    shell_argument(args.file)));
  if (args.keys) return print_keys(args.pattern, args.json);
  if (args.schema) return print_lines(stdout, json_schema() + "\n");
  if (args.file.empty())
    misused("CONFIG is missing; pass a YAML file or a preset; only --keys and --schema work without one");
  const Config config = checked_config(args);
  if (args.resolved) {
    print_lines(stdout, args.json ? printable_json(to_json(config)) + "\n" : to_yaml(config));
  } else {
    print_check(args, config);
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
      "  sgf config --keys learning_rate\n"
      "  sgf config --schema > sgf.schema.json\n\n"
      "Editors with a YAML language server complete and check a config that begins with the line "
      "# yaml-language-server: $schema=sgf.schema.json");
  add_config_argument(*command, args->file);
  add_overrides(*command, args->overrides, "model.dim=96");
  CLI::Option* resolved =
      command->add_flag("--resolved", args->resolved, "print every setting as YAML, with bases and overrides applied");
  CLI::Option* keys =
      command
          ->add_option("--keys", args->pattern,
                       "list the keys whose name or description contains PATTERN (default: all), with default and type")
          ->type_name("PATTERN")
          ->expected(0, 1)
          ->excludes(resolved);
  suggest_words(*keys, key_names());
  command->add_flag("--schema", args->schema, "print a JSON Schema of config files, for editors")
      ->excludes(keys)
      ->excludes(resolved);
  command->add_flag("--json", args->json, "print the verdict, --resolved or --keys as JSON");
  command->callback([args, keys] {
    args->keys = keys->count() > 0;
    run_config(*args);
  });
}

}  // namespace sgf
