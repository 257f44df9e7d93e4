// Server-sent events: what a page hears about streams while it is open.
#pragma once

#include "sgf/serving/http/http_message.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace sgf {

// One listener's queue. Threads that know news call `tell`, then HttpServer::wake(); the server takes the news when the
// listener has room. A listener that does not keep up misses states in between, never the newest.
class EventSource : public BodySource {
 public:
  struct Pace {
    std::chrono::milliseconds between{250};   // at least so long between two deliveries
    std::chrono::milliseconds quiet{10'000};  // after so long without news, a comment shows that the connection lives
  };

  EventSource() : EventSource(Pace{}) {}
  explicit EventSource(Pace pace) : pace_(pace), last_(Clock::now() - pace.between) {}

  // News that replaces what was told under the same name and key and has not been delivered. `data` is sent as it is,
  // line by line.
  void tell(const std::string& name, const std::string& key, std::string data);
  // Nothing more follows: the body ends when all is delivered.
  void close();

  Piece next(size_t most) override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Event {
    std::string name, key, data;
  };

  // Moves whole events into one text, up to about `most` bytes.
  std::string take(size_t most);

  const Pace pace_;
  std::mutex mutex_;
  std::deque<Event> events_;
  std::string unsent_;      // the rest of an event longer than one piece
  Clock::time_point last_;  // delivery
  bool has_begun_ = false;
  bool is_closed_ = false;
};

HttpResponse event_response(std::shared_ptr<EventSource> events);

}  // namespace sgf
