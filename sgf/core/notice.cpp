#include "sgf/core/notice.h"

#include <mutex>
#include <set>
#include <utility>

namespace sgf {
namespace {

// Scopes of several threads may end in any order.
struct NoticeBoard {
  std::mutex mutex;
  std::set<std::string> said;
  std::list<Log> listeners;
};

NoticeBoard& notice_board() {
  static NoticeBoard board;
  return board;
}

}  // namespace

void notice_once(const std::string& key, const std::string& text) {
  Log listener;
  {
    const std::lock_guard lock(notice_board().mutex);
    if (!notice_board().said.insert(key).second) return;
    if (!notice_board().listeners.empty()) listener = notice_board().listeners.back();
  }
  if (listener) listener(text);
}

NoticeScope::NoticeScope(Log listener) {
  const std::lock_guard lock(notice_board().mutex);
  place_ = notice_board().listeners.insert(notice_board().listeners.end(), std::move(listener));
}

NoticeScope::~NoticeScope() {
  const std::lock_guard lock(notice_board().mutex);
  notice_board().listeners.erase(place_);
}

void forget_notices() {
  const std::lock_guard lock(notice_board().mutex);
  notice_board().said.clear();
}

}  // namespace sgf
