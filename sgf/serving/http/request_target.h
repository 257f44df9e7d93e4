// Parses what a client writes: paths, queries, host names, cookies, byte ranges. Needs no HTTP library, so that a
// fuzzer reaches all of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct RequestTarget {
  std::vector<std::string> path;             // decoded; none for "/"
  std::map<std::string, std::string> query;  // decoded; values may be empty
};

// "/v1/videos?live=1". Throws Error for anything that could name something else than it seems to: empty segments, "."
// and "..", encoded slashes, backslashes, control characters, text that is not UTF-8, a query name given twice.
RequestTarget parse_target(std::string_view target);

// The path and query that parse to the same target.
std::string target_text(const RequestTarget& target);

// The name in a Host header, in lower case and without the port: "localhost", "127.0.0.1", "[::1]". Nullopt if the
// header is malformed.
std::optional<std::string> host_name(std::string_view header);

// Whether such a name is a numeric address.
bool is_numeric_host(const std::string& name);

// "http://localhost:8080" or "https://localhost:8080" for the Host header "localhost:8080".
bool is_origin_of(std::string_view origin, std::string_view host_header);

// Nullopt if the Cookie header has no such cookie, or has it twice.
std::optional<std::string> cookie_value(std::string_view header, std::string_view name);

// "image/png" of "Image/PNG; charset=…".
std::string media_type(std::string_view content_type);

struct ByteRange {
  uint64_t first = 0;
  uint64_t bytes = 0;
};

// What a Range header asks of a file of `size` bytes. Nullopt: the whole file, which is also the answer to a header
// with several ranges or one that makes no sense. A range of 0 bytes lies outside the file.
std::optional<ByteRange> requested_range(std::string_view header, uint64_t size);

// Compares without telling, by the time it takes, how much of a guess is right.
bool is_same_secret(std::string_view given, std::string_view secret);

}  // namespace sgf
