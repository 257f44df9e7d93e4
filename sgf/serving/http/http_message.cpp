#include "sgf/serving/http/http_message.h"

#include "sgf/core/in_quotes.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ctime>

namespace sgf {
namespace {

using nlohmann::json;

// Orders hold a few timelines, no more.
constexpr JsonLimits kBodyLimits{.depth = 16, .array_length = 100'000};

// The page loads nothing from elsewhere, runs no script but its own files, and is shown in no other page.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
    "img-src 'self' blob: data:; media-src 'self' blob: data:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'";

const char* reason_of(int status) {
  static const std::map<int, const char*> reasons = {{200, "OK"},
                                                     {201, "Created"},
                                                     {202, "Accepted"},
                                                     {204, "No Content"},
                                                     {206, "Partial Content"},
                                                     {303, "See Other"},
                                                     {304, "Not Modified"},
                                                     {400, "Bad Request"},
                                                     {401, "Unauthorized"},
                                                     {403, "Forbidden"},
                                                     {404, "Not Found"},
                                                     {405, "Method Not Allowed"},
                                                     {408, "Request Timeout"},
                                                     {409, "Conflict"},
                                                     {411, "Length Required"},
                                                     {413, "Content Too Large"},
                                                     {414, "URI Too Long"},
                                                     {415, "Unsupported Media Type"},
                                                     {416, "Range Not Satisfiable"},
                                                     {417, "Expectation Failed"},
                                                     {422, "Unprocessable Content"},
                                                     {429, "Too Many Requests"},
                                                     {431, "Request Header Fields Too Large"},
                                                     {500, "Internal Server Error"},
                                                     {501, "Not Implemented"},
                                                     {503, "Service Unavailable"},
                                                     {505, "HTTP Version Not Supported"},
                                                     {507, "Insufficient Storage"}};
  const auto found = reasons.find(status);
  return found == reasons.end() ? "" : found->second;
}

// As HTTP writes dates, whatever the locale.
std::string http_date(std::time_t now) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

bool equal_names(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

void add_unless_given(HttpHeaders& headers, const char* name, std::string value) {
  const auto given = std::ranges::find_if(headers, [&](const auto& header) { return equal_names(header.first, name); });
  if (given == headers.end()) headers.emplace_back(name, std::move(value));
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool may_have_body(int status) { return status != 204 && status != 304; }

HttpHeaders all_headers(const HttpResponse& response, bool keep_alive) {
  HttpHeaders headers = response.headers;
  add_unless_given(headers, "Cache-Control", "no-store");
  add_unless_given(headers, "Content-Security-Policy", kContentPolicy);
  add_unless_given(headers, "Cross-Origin-Resource-Policy", "same-origin");
  add_unless_given(headers, "Referrer-Policy", "no-referrer");
  add_unless_given(headers, "X-Content-Type-Options", "nosniff");
  add_unless_given(headers, "X-Frame-Options", "DENY");
  headers.emplace_back("Date", http_date(std::time(nullptr)));
  headers.emplace_back("Connection", keep_alive ? "keep-alive" : "close");
  if (!response.content_type.empty()) headers.emplace_back("Content-Type", response.content_type);
  if (!may_have_body(response.status)) return headers;
  if (response.source != nullptr && !response.source_bytes)
    headers.emplace_back("Transfer-Encoding", "chunked");
  else
    headers.emplace_back("Content-Length", std::to_string(response.source_bytes.value_or(response.body.size())));
  return headers;
}

}  // namespace

const std::string* HttpRequest::header(const std::string& wanted) const {
  const auto found = headers.find(wanted);
  return found == headers.end() ? nullptr : &found->second;
}

std::string HttpRequest::query_value(const std::string& wanted) const {
  const auto found = query.find(wanted);
  return found == query.end() ? "" : found->second;
}

std::string HttpRequest::name() const {
  std::string name = method + " /";
  for (size_t i = 0; i < path.size(); ++i) name += (i == 0 ? "" : "/") + path[i];
  return name;
}

HttpError::HttpError(int status, std::string code, const std::string& message, std::string hint)
    : Error(message), status_(status), code_(std::move(code)), hint_(std::move(hint)) {}

HttpResponse text_response(int status, const std::string& content_type, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = content_type;
  response.body = std::move(body);
  return response;
}

HttpResponse json_response(int status, const json& content) {
  return text_response(status, "application/json", content.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

HttpResponse error_response(const HttpError& error) {
  json content = {{"code", error.code()}, {"message", error.what()}};
  if (!error.hint().empty()) content["hint"] = error.hint();
  HttpResponse response = json_response(error.status(), {{"error", content}});
  if (error.status() == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (error.status() == 405) response.headers.emplace_back("Allow", "GET, HEAD, POST, PUT, DELETE");
  return response;
}

json json_body(const HttpRequest& request) {
  if (request.body.empty()) return json::object();
  try {
    json content = parse_strict_json(request.body, "the body of the request", kBodyLimits);
    SGF_CHECK(content.is_object(), "the body of the request must be a JSON object, got {}", content.type_name());
    return content;
  } catch (const Error& error) {
    throw HttpError(400, "bad_json", error.what(), "send a JSON object with Content-Type: application/json");
  }
}

std::string response_head(const HttpResponse& response, bool keep_alive) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_of(response.status));
  for (const auto& [name, value] : all_headers(response, keep_alive)) {
    SGF_CHECK(!has_control(name) && !has_control(value), "the header {} of a response holds a control character",
              in_quotes(name));
    head += name + ": " + value + "\r\n";
  }
  return head + "\r\n";
}

}  // namespace sgf
