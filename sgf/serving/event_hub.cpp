#include "sgf/serving/event_hub.h"

#include <algorithm>
#include <utility>

namespace sgf {

EventHub::EventHub(std::function<std::string(const std::string&)> state_of, std::function<void()> told)
    : state_of_(std::move(state_of)), told_(std::move(told)), thread_([this] { run(); }) {}

EventHub::~EventHub() {
  close();
  thread_.join();
}

void EventHub::changed(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    news_.insert(id);
  }
  has_news_.notify_one();
}

std::shared_ptr<EventSource> EventHub::listen(const std::string& id, const std::vector<std::string>& present) {
  auto source = std::make_shared<EventSource>();
  for (const std::string& stream : present)
    if (const std::string state = state_of_(stream); !state.empty()) source->tell("state", stream, state);
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const Listener& listener) { return listener.source.expired(); });
  if (is_closed_)
    source->close();
  else
    listeners_.push_back({id, source});
  return source;
}

size_t EventHub::listeners() const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(
      std::ranges::count_if(listeners_, [](const Listener& listener) { return !listener.source.expired(); }));
}

void EventHub::close() {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    for (const Listener& listener : listeners_)
      if (const auto source = listener.source.lock()) source->close();
  }
  has_news_.notify_one();
}

void EventHub::tell(const std::string& id, const std::string& state) {
  const std::lock_guard lock(mutex_);
  for (const Listener& listener : listeners_) {
    const auto source = listener.source.lock();
    if (!source || (!listener.id.empty() && listener.id != id)) continue;
    if (!state.empty()) {
      source->tell("state", id, state);
    } else {
      source->tell(listener.id.empty() ? "deleted" : "end", id, R"({"id": ")" + id + R"("})");
      if (!listener.id.empty()) source->close();
    }
  }
}

void EventHub::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_news_.wait(lock, [&] { return !news_.empty() || is_closed_; });
    if (is_closed_) return;
    const std::set<std::string> news = std::exchange(news_, {});
    lock.unlock();
    for (const std::string& id : news) tell(id, state_of_(id));
    told_();
    lock.lock();
  }
}

}  // namespace sgf
