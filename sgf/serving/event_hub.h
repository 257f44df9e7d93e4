// Tells everybody who listens what changed in a stream. A thread of its own builds the messages, so that the engine
// never waits for it.
#pragma once

#include "sgf/serving/http/event_source.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace sgf {

class EventHub {
 public:
  // `state_of` gives the state of a stream as JSON, or nothing if it does not exist any more. `told` is called after
  // listeners have news.
  EventHub(std::function<std::string(const std::string& id)> state_of, std::function<void()> told);
  ~EventHub();

  void changed(const std::string& id);  // cheap; from any thread

  // News about one stream, or with an empty id about all; the present states come first.
  std::shared_ptr<EventSource> listen(const std::string& id, const std::vector<std::string>& present);
  size_t listeners() const;
  void close();  // ends all

 private:
  struct Listener {
    std::string id;
    std::weak_ptr<EventSource> source;
  };

  void run();
  void tell(const std::string& id, const std::string& state);

  std::function<std::string(const std::string&)> state_of_;
  std::function<void()> told_;
  mutable std::mutex mutex_;
  std::condition_variable has_news_;
  std::set<std::string> news_;
  std::vector<Listener> listeners_;
  bool is_closed_ = false;
  std::thread thread_;
};

}  // namespace sgf
