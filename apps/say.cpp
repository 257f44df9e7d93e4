#include "apps/say.h"

#include "sgf/core/printable.h"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace sgf {
namespace {

// https://no-color.org
bool stdout_wants_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

void put_text(std::FILE* stream, const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) < text.size())
    throw std::system_error(errno, std::generic_category(), "the output could not be written");
}

}  // namespace

void print_line(std::FILE* stream, std::string_view line) { put_text(stream, printable(line) + '\n'); }

void warn_in_signal(std::string_view text) {
  std::array<char, 9000> line;  // a path and some words; one write, so that the lines of several ranks do not mix
  size_t length = 0;
  for (const std::string_view part :
       {std::string_view("sgf: "), text.substr(0, line.size() - 6), std::string_view("\n")})
    for (const char c : part) line[length++] = c;
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, line.data(), length);
}

void print_lines(std::FILE* stream, std::string_view text) { put_text(stream, printable_lines(text)); }

std::string json_line(const nlohmann::json& value) {
  return printable_json(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void say_json(const nlohmann::json& value) { print_line(stdout, json_line(value)); }

void say_bold(std::string_view line) {
  if (stdout_wants_colour())
    put_text(stdout, "\x1b[1m" + printable(line) + "\x1b[0m\n");
  else
    print_line(stdout, line);
}

}  // namespace sgf
