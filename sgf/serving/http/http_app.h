// The program behind the server: its routes, and what they may cost.
#pragma once

#include "sgf/core/log.h"
#include "sgf/serving/http/http_message.h"

#include <chrono>
#include <cstddef>

namespace sgf {

// What a client may ask of the server.
struct HttpLimits {
  using Time = std::chrono::milliseconds;

  size_t connections = 256;  // more are answered 503 and closed
  size_t connections_per_address = 128;
  size_t head_bytes = 16 << 10;
  size_t body_bytes = 64 << 10;          // unless HttpApp::body_limit says otherwise
  size_t largest_body_bytes = 16 << 20;  // whatever it says
  size_t all_bodies_bytes = 64 << 20;    // of larger bodies that are being received
  Time head_time{10'000};                // for a whole head
  Time body_time{30'000};                // for a whole body
  Time idle_time{30'000};                // between two requests of a connection
  Time write_stall{20'000};              // for which the client may take nothing of what is sent
  Time heartbeat{10'000};                // after so long a waiting body is asked again
  Time stop_time{2'000};                 // for downloads to end after stop()
};

// What the program does with requests.
class HttpApp {
 public:
  virtual ~HttpApp() = default;

  // Called from several threads at once. HttpError becomes its own answer, another Error 400, lack of memory 503,
  // anything else 500.
  virtual HttpResponse handle(const HttpRequest& request) = 0;

  // The largest body that this request may have; called before the body is read, on the thread that must not wait.
  virtual size_t body_limit(const HttpRequest& request, const HttpLimits& limits);
};

// The app's answer, or the error that its exception means. `log` hears of exceptions that are faults of the program.
HttpResponse answer_of(HttpApp& app, const HttpRequest& request, const Log& log);

// The source's next piece; kFailed in place of an exception, which `log` hears of.
Piece next_piece_of(BodySource& source, size_t most, const Log& log);

}  // namespace sgf
