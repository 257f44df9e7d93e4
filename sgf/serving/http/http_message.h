// Requests and responses as the program's routes see them, whatever library reads the socket.
#pragma once

#include "sgf/core/error.h"
#include "sgf/serving/http/body_source.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgf {

// A request that passed the guards of request_guard.h.
struct HttpRequest {
  // Nullptr if the client did not send the header. `name` is in lower case.
  const std::string* header(const std::string& name) const;
  // Empty if the query has no such name.
  std::string query_value(const std::string& name) const;
  // "GET /v1/videos", without the query: for messages.
  std::string name() const;

  std::string method;                          // GET, POST, PUT or DELETE; HEAD arrives as GET
  std::vector<std::string> path;               // decoded segments, safe as file names; none for "/"
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case; without those that carry the token
  std::string body;
  std::string client;  // numeric address
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// The body is `source` if there is one, else `body`.
struct HttpResponse {
  int status = 200;
  std::string content_type;
  HttpHeaders headers;  // besides those that every response has; one of the same name replaces those
  std::string body;
  std::shared_ptr<BodySource> source;
  std::optional<uint64_t> source_bytes;  // unknown: the body is sent in chunks, and the connection closed after it
};

// An answer that is not a success. Routes throw it; the server turns it into the JSON of error_response.
class HttpError : public Error {
 public:
  HttpError(int status, std::string code, const std::string& message, std::string hint = "");

  int status() const { return status_; }
  const std::string& code() const { return code_; }
  const std::string& hint() const { return hint_; }

 private:
  int status_;
  std::string code_, hint_;
};

HttpResponse text_response(int status, const std::string& content_type, std::string body);

// Strings that are not UTF-8 are repaired.
HttpResponse json_response(int status, const nlohmann::json& content);

// {"error": {"code": …, "message": …, "hint": …}}
HttpResponse error_response(const HttpError& error);

// The body as a JSON object; an empty body is an empty object. Throws HttpError 400 `bad_json`.
nlohmann::json json_body(const HttpRequest& request);

// Status line and headers, with the ones that protect the page in a browser. Throws if a header of the response could
// forge another.
std::string response_head(const HttpResponse& response, bool keep_alive);

}  // namespace sgf
