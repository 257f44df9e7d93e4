#include "sgf/serving/http/request_target.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/text_file.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>

namespace sgf {
namespace {

constexpr size_t kMostSegments = 16, kMostQueryValues = 32;

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

std::string_view without_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Calls `take` with each part of the text between separators, empty ones too.
template <class Take>
void split(std::string_view text, char separator, const Take& take) {
  for (;;) {
    const size_t end = text.find(separator);
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Throws for a broken escape, a control character or text that is not UTF-8.
std::string percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += plus_is_space && text[at] == '+' ? ' ' : text[at];
      continue;
    }
    const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[at + 2]) : -1;
    SGF_CHECK(low >= 0, "the address has a % that two hexadecimal digits do not follow: {}", in_quotes(text));
    out += static_cast<char>(high * 16 + low);
    at += 2;
  }
  SGF_CHECK(std::ranges::none_of(out, is_control), "the address holds a control character: {}", in_quotes(text));
  SGF_CHECK(is_utf8(out), "the address is not UTF-8: {}", in_quotes(text));
  return out;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain = "-._~";
  std::string out;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::vector<std::string> parse_path(std::string_view path) {
  SGF_CHECK(path.starts_with('/'), "an address begins with '/', got {}", in_quotes(path));
  std::vector<std::string> segments;
  if (path == "/") return segments;
  split(path.substr(1), '/', [&](std::string_view part) {
    std::string segment = percent_decoded(part, /*plus_is_space=*/false);
    SGF_CHECK(
        !segment.empty() && segment != "." && segment != ".." && segment.find_first_of("/\\") == std::string::npos,
        "the address has a part that names nothing: {}", in_quotes(path));
    SGF_CHECK(segments.size() < kMostSegments, "the address has more than {} parts", kMostSegments);
    segments.push_back(std::move(segment));
  });
  return segments;
}

std::map<std::string, std::string> parse_query(std::string_view query) {
  std::map<std::string, std::string> values;
  split(query, '&', [&](std::string_view part) {
    if (part.empty()) return;
    const size_t equals = std::min(part.find('='), part.size());
    std::string name = percent_decoded(part.substr(0, equals), /*plus_is_space=*/true);
    std::string value = percent_decoded(part.substr(std::min(equals + 1, part.size())), /*plus_is_space=*/true);
    SGF_CHECK(!name.empty(), "the query has a value without a name");
    SGF_CHECK(values.size() < kMostQueryValues, "the query has more than {} values", kMostQueryValues);
    const std::string shown = in_quotes(name);
    SGF_CHECK(values.emplace(std::move(name), std::move(value)).second, "the query has {} twice", shown);
  });
  return values;
}

bool is_of_a_name(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_'; }
bool is_of_an_address(char c) { return hex_digit(c) >= 0 || c == ':' || c == '.'; }

// Where the name ends and ":port" or nothing follows. npos if it is no name.
size_t name_length(std::string_view header) {
  if (!header.starts_with('[')) {
    const auto end = std::ranges::find_if_not(header, is_of_a_name);
    return end == header.begin() ? std::string_view::npos : static_cast<size_t>(end - header.begin());
  }
  const size_t bracket = header.find(']');
  const bool is_address = bracket != std::string_view::npos && bracket > 1 &&
                          std::ranges::all_of(header.substr(1, bracket - 1), is_of_an_address);
  return is_address ? bracket + 1 : std::string_view::npos;
}

// Digits only, and within 64 bits.
std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

RequestTarget parse_target(std::string_view target) {
  SGF_CHECK(target.find('#') == std::string_view::npos, "an address sent to a server has no '#'");
  const size_t mark = target.find('?');
  RequestTarget parsed{.path = parse_path(target.substr(0, mark)), .query = {}};
  if (mark != std::string_view::npos) parsed.query = parse_query(target.substr(mark + 1));
  return parsed;
}

std::string target_text(const RequestTarget& target) {
  std::string text = target.path.empty() ? "/" : "";
  for (const std::string& segment : target.path) text += "/" + percent_encoded(segment);
  char separator = '?';
  for (const auto& [name, value] : target.query) {
    text += separator + percent_encoded(name) + "=" + percent_encoded(value);
    separator = '&';
  }
  return text;
}

std::optional<std::string> host_name(std::string_view header) {
  const size_t length = name_length(header);
  if (length == std::string_view::npos) return std::nullopt;
  const std::string_view port = header.substr(length);
  if (!port.empty()) {
    const std::optional<uint64_t> number = port.front() == ':' ? number_of(port.substr(1)) : std::nullopt;
    if (!number || *number > 65535) return std::nullopt;
  }
  return lower_case(header.substr(0, length));
}

bool is_numeric_host(const std::string& name) {
  in6_addr address{};
  if (!name.starts_with('[')) return ::inet_pton(AF_INET, name.c_str(), &address) == 1;
  return ::inet_pton(AF_INET6, name.substr(1, name.size() - 2).c_str(), &address) == 1;
}

bool is_origin_of(std::string_view origin, std::string_view host_header) {
  const std::string given = lower_case(origin), host = lower_case(host_header);
  return given == "http://" + host || given == "https://" + host;
}

std::optional<std::string> cookie_value(std::string_view header, std::string_view name) {
  std::optional<std::string> value;
  bool is_twice = false;
  split(header, ';', [&](std::string_view part) {
    part = without_blanks(part);
    if (part.size() <= name.size() || !part.starts_with(name) || part[name.size()] != '=') return;
    is_twice = is_twice || value.has_value();
    value = part.substr(name.size() + 1);
  });
  return is_twice ? std::nullopt : value;
}

std::string media_type(std::string_view content_type) {
  return lower_case(without_blanks(content_type.substr(0, content_type.find(';'))));
}

std::optional<ByteRange> requested_range(std::string_view header, uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return std::nullopt;
  const std::string_view range = without_blanks(header.substr(kUnit.size()));
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view from = range.substr(0, dash), to = range.substr(dash + 1);
  const std::optional<uint64_t> first = number_of(from), last = number_of(to);
  if ((!from.empty() && !first) || (!to.empty() && !last) || (!first && !last)) return std::nullopt;
  if (!first) return ByteRange{.first = size - std::min(*last, size), .bytes = std::min(*last, size)};
  if (last && *last < *first) return std::nullopt;
  if (*first >= size) return ByteRange{.first = size, .bytes = 0};
  return ByteRange{.first = *first, .bytes = std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

bool is_same_secret(std::string_view given, std::string_view secret) {
  volatile unsigned differences = given.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < secret.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    differences = differences | static_cast<unsigned>(static_cast<unsigned char>(c ^ secret[i]));
  }
  return differences == 0;
}

}  // namespace sgf
