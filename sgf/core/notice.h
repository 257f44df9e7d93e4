// A word to the user from deep inside, where nobody stands by who could pass it on. Torch-free.
#pragma once

#include "sgf/core/log.h"

#include <list>
#include <string>

namespace sgf {

// Says `text` to the scope that began last, unless something was said under this key before in this process.
void notice_once(const std::string& key, const std::string& text);

// Who hears notices while it lives, in place of a scope that began before.
class NoticeScope {
 public:
  explicit NoticeScope(Log listener);
  ~NoticeScope();
  NoticeScope(const NoticeScope&) = delete;
  NoticeScope& operator=(const NoticeScope&) = delete;

 private:
  std::list<Log>::iterator place_;
};

// As in a new process; for tests.
void forget_notices();

}  // namespace sgf
