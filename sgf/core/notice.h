// A word to the user from deep inside, where nobody stands by who could pass it on. Torch-free.
#pragma once

#include <functional>
#include <list>
#include <string>

namespace sgf {

using NoticeListener = std::function<void(const std::string&)>;

// Says `text`, unless something was said under this key before in this process.
void notice_once(const std::string& key, const std::string& text);

// Who hears notices while it lives, in place of standard error or of a scope that began before.
class NoticeScope {
 public:
  explicit NoticeScope(NoticeListener listener);
  ~NoticeScope();
  NoticeScope(const NoticeScope&) = delete;
  NoticeScope& operator=(const NoticeScope&) = delete;

 private:
  std::list<NoticeListener>::iterator place_;
};

// As in a new process; for tests.
void forget_notices();

}  // namespace sgf
