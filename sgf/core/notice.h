// Notices to the user from deep inside the library, where no Log is passed down. Torch-free.
#pragma once

#include "sgf/core/log.h"

#include <list>
#include <string>

namespace sgf {

// Passes `text` to the newest scope, unless this process has already given a notice under this key.
void notice_once(const std::string& key, const std::string& text);

// Receives notices while it lives; the newest scope takes precedence.
class NoticeScope {
 public:
  explicit NoticeScope(Log listener);
  ~NoticeScope();
  NoticeScope(const NoticeScope&) = delete;
  NoticeScope& operator=(const NoticeScope&) = delete;

 private:
  std::list<Log>::iterator place_;
};

// Resets the keys, as in a new process; for tests.
void forget_notices();

}  // namespace sgf
