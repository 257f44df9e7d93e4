#include "sgf/core/in_parallel.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace sgf {
namespace {

// The pieces that no thread has taken yet, and the first error.
class Pieces {
 public:
  explicit Pieces(int64_t count) : count_(count) {}

  std::optional<int64_t> take() {
    const std::lock_guard lock(mutex_);
    return next_ < count_ ? std::optional(next_++) : std::nullopt;
  }

  void fail(int64_t piece, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    next_ = count_;
    if (error_ && failed_ < piece) return;
    error_ = std::move(error);
    failed_ = piece;
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  int64_t count_, next_ = 0, failed_ = 0;
  std::exception_ptr error_;
};

void work_through(Pieces& pieces, const std::function<void(int64_t)>& work) {
  while (const std::optional<int64_t> piece = pieces.take()) {
    try {
      work(*piece);
    } catch (...) {
      pieces.fail(*piece, std::current_exception());
    }
  }
}

}  // namespace

void in_parallel(int64_t count, int64_t threads, const std::function<void(int64_t)>& work) {
  Pieces pieces(count);
  {
    std::vector<std::jthread> others;  // joined at the end, also if one cannot start
    for (int64_t i = 1; i < std::min(threads, count); ++i) others.emplace_back([&] { work_through(pieces, work); });
    work_through(pieces, work);
  }
  pieces.rethrow();
}

}  // namespace sgf
