// What a client writes into a request, past the library that reads its lines: address, headers, JSON body.
#include "fuzz/fuzz_target.h"

#include "sgf/files/text_file.h"
#include "sgf/serving/http/request_guard.h"
#include "sgf/serving/http/request_target.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace sgf::fuzz {
namespace {

constexpr uint64_t kFileBytes = 1000;

// The text up to the next newline, which is taken away with it.
std::string_view take_line(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// "METHOD ADDRESS", headers and an empty line, each ended by a newline; the body follows.
RequestHead take_head(std::string_view& rest) {
  const std::string_view first = take_line(rest);
  const size_t space = std::min(first.find(' '), first.size());
  RequestHead head{.method = std::string(first.substr(0, space)),
                   .target = std::string(first.substr(std::min(space + 1, first.size()))),
                   .version = 11,
                   .headers = {}};
  for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest)) {
    const size_t colon = std::min(line.find(": "), line.size());
    head.headers.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
  }
  return head;
}

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

bool is_safe(const std::string& text) { return is_utf8(text) && std::ranges::none_of(text, is_control); }

void must_be_safe(const RequestTarget& target) {
  for (const std::string& segment : target.path) {
    must(is_safe(segment) && !segment.empty() && segment != "." && segment != "..",
         "a part of a path is a file's name");
    must(segment.find_first_of("/\\") == std::string::npos, "a part of a path is no path");
  }
  for (const auto& [name, value] : target.query) must(is_safe(name) && is_safe(value), "a query is text");
  const RequestTarget again = parse_target(target_text(target));
  must(again.path == target.path && again.query == target.query, "written and read again, an address is equal");
}

void read_parts(const RequestHead& head) {
  for (const auto& [name, value] : head.headers) {
    const std::optional<ByteRange> range = requested_range(value, kFileBytes);
    must(!range || (range->first <= kFileBytes && range->bytes <= kFileBytes - range->first),
         "a range lies in the file");
    const std::optional<std::string> cookie = cookie_value(value, "sgf_token");
    must(!cookie || cookie->find(';') == std::string::npos, "a cookie ends at a semicolon");
    const std::optional<std::string> host = host_name(value);
    must(!host || !host->empty(), "a host has a name");
    must(!host || is_origin_of("http://" + value, value), "a host is its own origin");
    media_type(value);
  }
}

void must_need_the_token(const RequestGuard& locked, const RequestHead& head) {
  const bool shows_token = std::ranges::any_of(
      head.headers, [](const auto& header) { return header.second.find("a-long-token") != std::string::npos; });
  try {
    const Admission admission = locked.admit(head);
    const bool is_open = admission.answer || admission.request.path == std::vector<std::string>{"health"};
    must(shows_token || is_open, "without the token nobody is let in");
  } catch (const HttpError&) {  // a proper answer
  }
}

void read_request(std::string_view input) {
  static const RequestGuard open({.hosts = {"localhost", "[::1]"}, .token = "", .takes_addresses = true}),
      locked({.hosts = {"localhost"}, .token = "a-long-token"});
  const RequestHead head = take_head(input);
  read_parts(head);
  must_need_the_token(locked, head);
  Admission admission = open.admit(head);
  must_be_safe({.path = admission.request.path, .query = admission.request.query});
  admission.request.body = input;
  must(json_body(admission.request).is_object(), "a body is an object");
}

const Registered kTarget("http_request", read_request);

}  // namespace
}  // namespace sgf::fuzz
