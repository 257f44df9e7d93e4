// The `sgf` program: gathers the commands, runs the one that was asked for, and turns errors into words and codes.
// 0 success; 1 the command failed or found something wrong; 2 it was not understood; 3 stopped; 4 a run stopped itself.
#include "apps/allocation.h"
#include "apps/commands.h"
#include "apps/help/help.h"
#include "apps/help/help_page.h"
#include "apps/help/missing_values.h"
#include "apps/help/misuse_words.h"
#include "apps/help/program_words.h"
#include "apps/say.h"
#include "apps/version.h"
#include "sgf/assembly/window_source.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/memory_watch.h"
#include "sgf/core/nearest_name.h"
#include "sgf/core/notice.h"
#include "sgf/files/lost_map.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

namespace sgf {

void exit_with(int code) {
  if (code != 0) throw CLI::RuntimeError(code);
}

namespace {

// A misuse that a command words itself.
struct OwnMisuse : CLI::ArgumentMismatch {
  explicit OwnMisuse(const std::string& what) : CLI::ArgumentMismatch(what) {}
};

}  // namespace

void misused(const std::string& what) { throw OwnMisuse(what); }

namespace {

constexpr int kFailed = 1, kMisused = 2;

struct CommandGroup {
  const char* heading;
  std::vector<void (*)(CLI::App&)> commands;
};

// In the order in which they are looked for.
std::vector<CommandGroup> command_groups() {
  return {{"Make videos", {add_generate, add_serve, add_demo, add_redo, add_sample}},
          {"Train", {add_train, add_config, add_plan, add_recipe, add_study}},
          {"Data", {add_data, add_pairs, add_world}},
          {"Measure", {add_eval, add_compare, add_strips, add_diagnose, add_verify, add_bench}},
          {"Files", {add_doctor, add_inspect, add_convert, add_vae, add_text, add_wan}},
          {"Help", {add_help, add_completion}}};
}

constexpr const char* kProgramFooter =
    "Examples:\n"
    "  sgf demo\n"
    "  sgf generate --model world-small --seconds 20 --out world.mp4\n"
    "  sgf recipe run world-tiny\n\n"
    "sgf help COMMAND shows the options of a command with examples.\n\n"
    "Exit codes: 0 success; 1 failed, or something wrong was found; 2 the command line was not understood; 3 stopped "
    "and can be resumed; 4 a training run stopped itself.";

void add_commands(CLI::App& app) {
  app.formatter_fn(
      [](const CLI::App* command, const std::string& name, CLI::AppFormatMode) { return help_of(*command, name); });
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("-V,--version", version_text, "print versions and optional components");
  app.require_subcommand(1);
  app.footer(kProgramFooter);
  for (const CommandGroup& group : command_groups())
    for (const auto& add : group.commands) {
      add(app);
      app.get_subcommands([](const CLI::App*) { return true; }).back()->group(group.heading);
    }
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

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = nearest_name(word, known);
  return nearest ? fmt::format("; did you mean {}?", *nearest) : "";
}

// CLI11 calls a positional argument by a name of its own; the usage line shows another, "CONFIG" for "config".
std::string with_usage_names(const CLI::App& command, std::string sentence) {
  for (const ArgumentWords& argument : describe_command(command, "").positionals) {
    const std::string& name = argument.names.front();
    if (sentence.starts_with(name + " ") || sentence.starts_with(name + ":"))
      sentence.replace(0, name.size(), shown_argument(argument));
    if (sentence.ends_with(" " + name))
      sentence.replace(sentence.size() - name.size(), name.size(), shown_argument(argument));
  }
  return sentence;
}

std::string say_about_options(const CLI::App& command, const CLI::ParseError& error,
                              const std::vector<std::string>& words) {
  const std::vector<std::string> known = option_names(command);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || name == "--" || std::ranges::find(known, name) != known.end()) continue;
    return fmt::format("unknown option {}{}", name, did_you_mean(name, known));
  }
  const bool is_ours = dynamic_cast<const OwnMisuse*>(&error) != nullptr;
  return is_ours ? error.what() : misuse_words(with_usage_names(command, error.what()));
}

// CLI11 only says that a command is missing; this names the unknown word and a similar command.
std::string say_about_command(const CLI::App& app, const CLI::ParseError& error,
                              const std::vector<std::string>& words) {
  const auto word = std::ranges::find_if(words, [](const std::string& w) { return !w.starts_with("-"); });
  if (word == words.end()) return say_about_options(app, error, words);
  return fmt::format("no command {}{}", in_quotes(*word), did_you_mean(*word, command_names(app)));
}

// As far as the words were understood: the program, a command, or the command of a command.
int explain_misuse(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string names = "sgf";
  size_t understood = 0;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    names += " " + command->get_name();
    understood = static_cast<size_t>(std::ranges::find(words, command->get_name()) - words.begin()) + 1;
  }
  const std::vector<std::string> rest(words.begin() + static_cast<int64_t>(understood), words.end());
  const bool lacks_command = command->get_require_subcommand_min() > 0;
  warn("{}", lacks_command ? say_about_command(*command, error, rest) : say_about_options(*command, error, rest));
  remark("Try {} --help.", names == "sgf help" ? "sgf" : names);
  return kMisused;
}

int run(int argc, char** argv) {
  const NoticeScope notices(warn_line);
  CLI::App app("Train and stream long-video diffusion models", "sgf");
  add_commands(app);
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  refuse_options_as_values(app, words);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::RuntimeError& error) {  // a command that has already printed its errors
    return error.get_exit_code();
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream text;
    const int code = app.exit(asked, text, text);
    print_lines(stdout, text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return explain_misuse(app, error, words);
  } catch (const ModelQuestion& question) {
    warn_line(question.what());
    for (const std::string& choice : question.choices()) remark("  {}", choice);
    return kMisused;
  }
}

// A reader that has seen enough (`sgf ... | head`) is no failure worth a word; a full disk is.
int flush_output(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  if (errno != EPIPE) warn("the output could not be written: {}", std::strerror(errno));
  return kFailed;
}

// Torch's errors carry a backtrace, which says nothing to a user.
std::string words_of(const std::exception& error, const std::string& work) {
  if (const std::optional<OutOfMemory> memory = find_out_of_memory(error, work)) return memory->what();
  const auto* torch = dynamic_cast<const c10::Error*>(&error);
  return torch != nullptr ? torch->what_without_backtrace() : error.what();
}

// The standard library's own words for this are "Resource temporarily unavailable".
constexpr const char* kNoThread = "a thread cannot be started; raise the limits (ulimit -u, ulimit -v)";

// "filesystem error: cannot create directories: Not a directory [a/b]" with the path first, as in our own errors.
std::string words_of_file_error(const std::filesystem::filesystem_error& error) {
  std::string words = error.what();
  if (const std::string_view tag = "filesystem error: "; words.starts_with(tag)) words.erase(0, tag.size());
  words.resize(std::min(words.size(), words.find(" [")));
  if (error.path1().empty()) return words;
  const std::string other = error.path2().empty() ? "" : fmt::format(" (to {})", error.path2().string());
  return fmt::format("{}{}: {}", error.path1().string(), other, words);
}

int run_guarded(int argc, char** argv) {
  try {
    return flush_output(run(argc, argv));
  } catch (const std::filesystem::filesystem_error& error) {
    warn("{}", words_of_file_error(error));
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return kFailed;
    warn("{}", error.code() == std::errc::resource_unavailable_try_again ? kNoThread : error.what());
  } catch (const Error& error) {
    warn("{}", error.what());
  } catch (const std::exception& error) {
    print_lines(stderr, fmt::format("sgf: {}\n", words_of(error, argc > 1 ? fmt::format("sgf {}", argv[1]) : "sgf")));
  }
  std::fflush(stdout);
  return kFailed;
}

}  // namespace
}  // namespace sgf

int main(int argc, char** argv) {
  sgf::main_has_begun = true;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write that fails, with words; not a sudden end
  sgf::explain_lost_maps(sgf::warn_in_signal);
  return sgf::run_guarded(argc, argv);
}
