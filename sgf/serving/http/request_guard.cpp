#include "sgf/serving/http/request_guard.h"

#include "sgf/core/in_quotes.h"
#include "sgf/serving/http/request_target.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sgf {
namespace {

constexpr const char* kCookie = "sgf_token";
constexpr const char* kTokenHint =
    "open the link with the token that sgf serve printed, or send the header Authorization: Bearer TOKEN";

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// Headers whose second value would say something else than the first.
bool must_be_single(const std::string& name) {
  constexpr std::array kNames = {"host",           "origin",       "authorization",
                                 "content-length", "content-type", "transfer-encoding",
                                 "range",          "expect",       "cookie"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// The headers by name; later ones of a list are appended, as HTTP says.
std::map<std::string, std::string> collected(const HttpHeaders& headers) {
  std::map<std::string, std::string> by_name;
  for (const auto& [written, value] : headers) {
    const std::string name = lower_case(written);
    const auto [place, is_new] = by_name.emplace(name, value);
    if (is_new) continue;
    if (must_be_single(name)) throw HttpError(400, "bad_request", fmt::format("the header {} appears twice", name));
    place->second += ", " + value;
  }
  return by_name;
}

void check_method(const std::string& method) {
  constexpr std::array kKnown = {"GET", "HEAD", "POST", "PUT", "DELETE"};
  if (std::ranges::find(kKnown, method) != kKnown.end()) return;
  throw HttpError(405, "wrong_method", fmt::format("the method {} is not supported", in_quotes(method)),
                  "GET, HEAD, POST, PUT and DELETE are");
}

RequestTarget read_target(const std::string& text) {
  try {
    return parse_target(text);
  } catch (const Error& error) {
    throw HttpError(400, "bad_address", error.what());
  }
}

// Where the body ends must be beyond doubt, or a proxy in front could see another request than this server does.
uint64_t read_body_length(const HttpRequest& request) {
  const std::string* length = request.header("content-length");
  if (const std::string* coding = request.header("transfer-encoding")) {
    if (length != nullptr)
      throw HttpError(400, "bad_request", "a request has Content-Length or Transfer-Encoding, not both");
    throw HttpError(411, "length_required", fmt::format("a body in the coding {} is not read", in_quotes(*coding)),
                    "send Content-Length");
  }
  if (length == nullptr) return 0;
  uint64_t bytes = 0;
  const char* const end = length->data() + length->size();
  const auto [stop, error] = std::from_chars(length->data(), end, bytes);
  if (error != std::errc() || stop != end)
    throw HttpError(400, "bad_request", fmt::format("Content-Length is no number: {}", in_quotes(*length)));
  return bytes;
}

bool read_expectation(const HttpRequest& request) {
  const std::string* expected = request.header("expect");
  if (expected == nullptr) return false;
  if (lower_case(*expected) == "100-continue") return true;
  throw HttpError(417, "bad_request", fmt::format("the expectation {} is not known", in_quotes(*expected)));
}

// Another page can send text and forms here without asking, but not these types.
void check_type(const HttpRequest& request, uint64_t body_bytes) {
  constexpr std::array kTypes = {"application/json", "image/png", "video/mp4"};
  const bool needs_type = request.method == "POST" || request.method == "PUT" || body_bytes > 0;
  if (!needs_type || request.method == "GET") return;
  const std::string* given = request.header("content-type");
  if (given != nullptr && std::ranges::find(kTypes, media_type(*given)) != kTypes.end()) return;
  throw HttpError(415, "wrong_type",
                  fmt::format("{} needs a Content-Type, got {}", request.method, given ? in_quotes(*given) : "none"),
                  "send application/json, or image/png or video/mp4 for a file");
}

void check_origin(const HttpRequest& request) {
  const std::string *origin = request.header("origin"), *site = request.header("sec-fetch-site"),
                    *mode = request.header("sec-fetch-mode");
  if (origin != nullptr && !is_origin_of(*origin, *request.header("host")))
    throw HttpError(403, "wrong_origin", fmt::format("a page of {} may not use this server", in_quotes(*origin)));
  const bool is_from_elsewhere = site != nullptr && (*site == "cross-site" || *site == "same-site");
  const bool follows_a_link = mode != nullptr && *mode == "navigate" && request.method == "GET";
  if (is_from_elsewhere && !follows_a_link)
    throw HttpError(403, "wrong_origin", "a page of another server may not use this one");
}

bool is_open_to_all(const HttpRequest& request) { return request.path == std::vector<std::string>{"health"}; }

}  // namespace

Admission RequestGuard::admit(const RequestHead& head) const {
  if (head.version != 11) throw HttpError(505, "wrong_version", "only HTTP/1.1 is spoken here");
  check_method(head.method);
  Admission admission;
  HttpRequest& request = admission.request;
  request.method = head.method == "HEAD" ? "GET" : head.method;
  request.headers = collected(head.headers);
  check_host(request);
  RequestTarget target = read_target(head.target);
  request.path = std::move(target.path);
  request.query = std::move(target.query);
  check_origin(request);
  admission.answer = log_in(request);
  if (!admission.answer && !is_open_to_all(request) && !has_token(request))
    throw HttpError(401, "unauthorized", "this server needs its token", kTokenHint);
  request.headers.erase("authorization");
  request.headers.erase("cookie");
  admission.expects_continue = read_expectation(request);
  admission.body_bytes = read_body_length(request);
  if (request.method == "GET" && admission.body_bytes > 0)
    throw HttpError(400, "bad_request", "a GET request has no body");
  check_type(request, admission.body_bytes);
  return admission;
}

void RequestGuard::check_host(const HttpRequest& request) const {
  const std::string* host = request.header("host");
  const std::optional<std::string> name = host != nullptr ? host_name(*host) : std::nullopt;
  if (!name) throw HttpError(400, "bad_request", "a request needs one Host header, NAME or NAME:PORT");
  if (std::ranges::find(settings_.hosts, *name) != settings_.hosts.end()) return;
  if (settings_.takes_addresses && is_numeric_host(*name)) return;
  throw HttpError(403, "wrong_host", fmt::format("this server is not known as {}", in_quotes(*name)),
                  "use the address that sgf serve printed, or start it with --name " + *name);
}

bool RequestGuard::has_token(const HttpRequest& request) const {
  if (settings_.token.empty()) return true;
  constexpr std::string_view kScheme = "Bearer ";
  const std::string *bearer = request.header("authorization"), *cookies = request.header("cookie");
  if (bearer != nullptr && bearer->starts_with(kScheme))
    return is_same_secret(std::string_view(*bearer).substr(kScheme.size()), settings_.token);
  const std::optional<std::string> cookie = cookies != nullptr ? cookie_value(*cookies, kCookie) : std::nullopt;
  return cookie && is_same_secret(*cookie, settings_.token);
}

std::optional<HttpResponse> RequestGuard::log_in(const HttpRequest& request) const {
  const auto given = request.query.find("token");
  if (settings_.token.empty() || request.method != "GET" || !request.path.empty() || given == request.query.end())
    return std::nullopt;
  if (!is_same_secret(given->second, settings_.token))
    throw HttpError(401, "unauthorized", "the token in the link is wrong", kTokenHint);
  RequestTarget page{.path = {}, .query = request.query};
  page.query.erase("token");
  HttpResponse response = text_response(303, "text/plain; charset=utf-8", "the page is at /\n");
  response.headers.emplace_back("Location", target_text(page));
  response.headers.emplace_back("Set-Cookie",
                                fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", kCookie, settings_.token));
  return response;
}

}  // namespace sgf
