// A bounded queue between two threads: push waits while the queue is full, pop waits while it is empty.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace sgf {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Waits while the queue is full. Returns false if the consumer has stopped.
  bool push(T thing) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return things_.size() < capacity_ || is_abandoned_; });
    if (is_abandoned_) return false;
    things_.push_back(std::move(thing));
    changed_.notify_all();
    return true;
  }

  // Waits while the queue is empty. Returns nullopt once the queue is closed and drained.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !things_.empty() || is_closed_ || is_abandoned_; });
    if (is_abandoned_ || things_.empty()) return {};
    T thing = std::move(things_.front());
    things_.pop_front();
    changed_.notify_all();
    return thing;
  }

  // No more items will be pushed; items already queued are still handed out.
  void close() { set(is_closed_); }
  // One side has failed: neither side waits any longer.
  void abandon() { set(is_abandoned_); }

 private:
  void set(bool& flag) {
    const std::lock_guard lock(mutex_);
    flag = true;
    changed_.notify_all();
  }

  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> things_;
  bool is_closed_ = false;
  bool is_abandoned_ = false;
};

}  // namespace sgf
