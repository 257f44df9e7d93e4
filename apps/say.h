// All that goes to a terminal or a log. A line is a line and shows what it holds: every text is passed through
// printable(), so that callers need not ask where it came from. A test finds no other print call.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace sgf {

// One line to a stream, with its newline. Where it cannot be written, all of these throw std::system_error.
void print_line(std::FILE* stream, std::string_view line);

// A result, to stdout.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  print_line(stdout, fmt::format(format, std::forward<Args>(args)...));
}

// "sgf: " and what is wrong, to stderr.
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  print_line(stderr, "sgf: " + fmt::format(format, std::forward<Args>(args)...));
}

// The same for a line that is text already.
inline void warn_line(const std::string& text) { warn("{}", text); }

// The same in a signal handler: only system calls, for text that is printable already.
void warn_in_signal(std::string_view text);

// What is going on, to stderr.
template <class... Args>
void remark(fmt::format_string<Args...> format, Args&&... args) {
  print_line(stderr, fmt::format(format, std::forward<Args>(args)...));
}

// Text of several lines that is our own (YAML, help, a table), with the newlines that it has.
void print_lines(std::FILE* stream, std::string_view text);

// On one line; what is no UTF-8 becomes U+FFFD.
std::string json_line(const nlohmann::json& value);
void say_json(const nlohmann::json& value);  // to stdout

// One line to stdout, bold on a terminal that wants colour.
void say_bold(std::string_view line);

}  // namespace sgf
