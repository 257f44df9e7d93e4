// The `sgf` program: gathers the commands, runs the one that was asked for, and turns errors into words and codes.
// 0 good; 1 the command failed or found something wrong; 2 it was not understood.
#include "apps/commands.h"
#include "apps/version.h"
#include "sgf/core/error.h"
#include "sgf/core/nearest_name.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>

namespace sgf {

void exit_with(int code) {
  if (code != 0) throw CLI::RuntimeError(code);
}

namespace {

constexpr int kFailed = 1, kMisused = 2;

void add_commands(CLI::App& app) {
  app.set_version_flag("--version", version_text, "Print versions and the components built in");
  app.require_subcommand(1);
  add_verify(app);
  add_inspect(app);
  add_convert(app);
  add_config(app);
  add_completion(app);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "; did you mean --json?" for the first word that is neither a command nor an option of the command given.
std::string hint_for(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const std::vector<std::string> known = chosen.empty() ? command_names(app) : option_names(*chosen.front());
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const bool is_candidate = chosen.empty() || name.starts_with("--");
    if (!is_candidate || std::ranges::find(known, name) != known.end()) continue;
    const std::optional<std::string> nearest = nearest_name(name, known);
    if (nearest) return fmt::format("; did you mean {}?", *nearest);
  }
  return "";
}

int explain_misuse(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  fmt::print(stderr, "sgf: {}{}\n", error.what(), hint_for(app, words));
  fmt::print(stderr, "Try sgf {}--help.\n", chosen.empty() ? "" : chosen.front()->get_name() + " ");
  return kMisused;
}

int run(int argc, char** argv) {
  CLI::App app("Training and streaming long-video diffusion in C++", "sgf");
  add_commands(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::RuntimeError& error) {  // a command that has spoken for itself
    return error.get_exit_code();
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return explain_misuse(app, error, {argv + std::min(argc, 1), argv + argc});
  }
}

// A reader that has seen enough (`sgf ... | head`) is no failure worth a word; a full disk is.
int flush_output(int code) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout.good()) return code;
  if (errno != EPIPE) fmt::print(stderr, "sgf: the output could not be written: {}\n", std::strerror(errno));
  return kFailed;
}

int run_guarded(int argc, char** argv) {
  try {
    return flush_output(run(argc, argv));
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return kFailed;
    fmt::print(stderr, "sgf: {}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "sgf: {}\n", error.what());
  }
  std::fflush(stdout);
  return kFailed;
}

}  // namespace
}  // namespace sgf

int main(int argc, char** argv) { return sgf::run_guarded(argc, argv); }
