#include "sgf/core/say.h"

#include "sgf/core/printable.h"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace sgf {
namespace {

// https://no-color.org
bool stdout_wants_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

void print_line(std::FILE* stream, std::string_view line) { fmt::print(stream, "{}\n", printable(line)); }

void print_lines(std::FILE* stream, std::string_view text) { fmt::print(stream, "{}", printable_lines(text)); }

std::string json_line(const nlohmann::json& value) {
  return printable_json(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void say_json(const nlohmann::json& value) { print_line(stdout, json_line(value)); }

void say_bold(std::string_view line) {
  if (stdout_wants_colour())
    fmt::print("\x1b[1m{}\x1b[0m\n", printable(line));
  else
    print_line(stdout, line);
}

}  // namespace sgf
