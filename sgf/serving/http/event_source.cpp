#include "sgf/serving/http/event_source.h"

#include <algorithm>

namespace sgf {
namespace {

// A page with more streams than this asks for the list.
constexpr size_t kMostEvents = 1024;

// The browser connects again after a second.
constexpr const char* kGreeting = "retry: 1000\n\n";

std::string event_text(const std::string& name, const std::string& data) {
  std::string text = "event: " + name + "\ndata: ";
  for (const char c : data) {
    if (c == '\r') continue;
    text += c;
    if (c == '\n') text += "data: ";
  }
  return text + "\n\n";
}

}  // namespace

void EventSource::tell(const std::string& name, const std::string& key, std::string data) {
  const std::lock_guard lock(mutex_);
  const auto same =
      std::ranges::find_if(events_, [&](const Event& event) { return event.name == name && event.key == key; });
  if (same != events_.end()) events_.erase(same);  // the news takes its place at the end, after what it may rest on
  if (events_.size() == kMostEvents) events_.pop_front();
  events_.push_back({.name = name, .key = key, .data = std::move(data)});
}

void EventSource::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

std::string EventSource::take(size_t most) {
  std::string text = std::move(unsent_);
  unsent_.clear();
  while (text.size() < most && !events_.empty()) {
    text += event_text(events_.front().name, events_.front().data);
    events_.pop_front();
  }
  if (text.size() <= most) return text;
  unsent_ = text.substr(most);
  text.resize(most);
  return text;
}

Piece EventSource::next(size_t most) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - last_);
  if (!has_begun_) {
    has_begun_ = true;
    return Piece::of(kGreeting);
  }
  if (!unsent_.empty() || (!events_.empty() && (since >= pace_.between || is_closed_))) {
    last_ = now;
    return Piece::of(take(most));
  }
  if (!events_.empty()) return Piece::later(pace_.between - since);
  if (is_closed_) return Piece::end();
  if (since < pace_.quiet) return Piece::later(pace_.quiet - since);
  last_ = now;
  return Piece::of(": still here\n\n");
}

HttpResponse event_response(std::shared_ptr<EventSource> events) {
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.source = std::move(events);
  return response;
}

}  // namespace sgf
