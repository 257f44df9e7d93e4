// The HTTP/1.1 server: sockets, limits and patience. One thread does all input and output without ever waiting for a
// client; the program's routes and bodies run on a few others. A build without Boost.Beast has this class too; it says
// what to install.
#pragma once

#include "sgf/core/log.h"
#include "sgf/serving/http/http_app.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgf {

struct HttpServerSettings {
  std::string host = "127.0.0.1";  // numeric address or name to listen on
  int64_t port = 8080;             // 0: any free one
  std::string token;               // empty: none is needed
  std::vector<std::string> names;  // other names and addresses under which browsers may reach the server
  HttpLimits limits;
  Log log;  // faults of the server itself; called from any of its threads
};

// What has happened so far.
struct HttpCounts {
  uint64_t open_connections = 0;
  uint64_t connections = 0;             // accepted
  uint64_t rejected_connections = 0;    // over a limit
  uint64_t dropped_clients = 0;         // too slow with a request or in taking a response
  uint64_t bad_requests = 0;            // could not be read as HTTP
  std::array<uint64_t, 5> responses{};  // 1xx to 5xx
};

// Serves from construction to stop().
class HttpServer {
 public:
  // Throws Error if the address cannot be listened on. `app` must outlive the server.
  HttpServer(const HttpServerSettings& settings, HttpApp& app);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int64_t port() const;
  HttpCounts counts() const;

  // Asks all waiting bodies again. Cheap; from any thread.
  void wake();

  // No more requests: bodies without a known length are cut, others may end within HttpLimits::stop_time. Returns when
  // the app is called no more. From any thread but the server's own.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

bool can_serve();

// The HTTP support of this build, for `sgf --version`: "Boost.Beast 1.74".
std::string http_component();

}  // namespace sgf
