// The only functions that print. Every text passes through printable(), so that text from outside cannot control the
// terminal or imitate a line. A test finds other print calls.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace sgf {

// One line with its newline. All functions here throw std::system_error if the stream cannot be written.
void print_line(std::FILE* stream, std::string_view line);

// A result, to stdout.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  print_line(stdout, fmt::format(format, std::forward<Args>(args)...));
}

// A warning or an error, to stderr, after "sgf: ".
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  print_line(stderr, "sgf: " + fmt::format(format, std::forward<Args>(args)...));
}

// The same without formatting.
inline void warn_line(const std::string& text) { warn("{}", text); }

// The same in a signal handler: only system calls, for text that is printable already.
void warn_in_signal(std::string_view text);

// A remark on progress, to stderr.
template <class... Args>
void remark(fmt::format_string<Args...> format, Args&&... args) {
  print_line(stderr, fmt::format(format, std::forward<Args>(args)...));
}

// Text of several lines made by the program (YAML, help, a table); its newlines are kept.
void print_lines(std::FILE* stream, std::string_view text);

// JSON on one line; bytes that are not UTF-8 become U+FFFD.
std::string json_line(const nlohmann::json& value);
void say_json(const nlohmann::json& value);  // to stdout

// One line to stdout, bold on a terminal that wants colour.
void say_bold(std::string_view line);

}  // namespace sgf
