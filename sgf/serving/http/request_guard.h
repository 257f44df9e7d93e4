// Decides which requests reach the program's routes: those that a page of this server, or a program with the token,
// sent.
#pragma once

#include "sgf/serving/http/http_message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sgf {

// A request's head as it came, before anything of it is believed.
struct RequestHead {
  std::string method;
  std::string target;
  int version = 11;     // 10 * major + minor
  HttpHeaders headers;  // in the order of the wire; a name may come twice
};

// What the guard made of a head.
struct Admission {
  HttpRequest request;  // without its body
  uint64_t body_bytes = 0;
  bool expects_continue = false;       // the client waits for "100 Continue" before it sends the body
  std::optional<HttpResponse> answer;  // the guard's own: the routes are not asked
};

// Who may ask.
struct GuardSettings {
  std::vector<std::string> hosts;  // under which browsers may reach the server, in lower case: "localhost", "[::1]"
  std::string token;               // empty: none is needed
  // Any numeric address is such a host too, for a server that others reach. Nobody can make a numeric address mean
  // another machine, as they can with a name of theirs.
  bool takes_addresses = false;
};

class RequestGuard {
 public:
  explicit RequestGuard(GuardSettings settings) : settings_(std::move(settings)) {}

  // Throws HttpError for a request that is refused.
  Admission admit(const RequestHead& head) const;

 private:
  void check_host(const HttpRequest& request) const;
  bool has_token(const HttpRequest& request) const;
  // The answer to "/?token=…": a cookie, and the same page without the token in its address.
  std::optional<HttpResponse> log_in(const HttpRequest& request) const;

  GuardSettings settings_;
};

}  // namespace sgf
