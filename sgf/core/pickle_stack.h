// The pickle machine's memory: the values made so far, the stack of those in hand, marks on it, and the memo.
#pragma once

#include "sgf/core/error.h"
#include "sgf/core/pickle_value.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sgf {

// All operations throw Error, which begins with `source`, when the pickle asks for what is not there.
class PickleStack {
 public:
  explicit PickleStack(std::string source) : source_(std::move(source)) {}

  template <class Data>
  void make(Data data) {
    values_.push_back({std::move(data)});
    stack_.push_back(&values_.back());
  }

  void push(PickleValue* value) { stack_.push_back(value); }
  void mark() { marks_.push_back(stack_.size()); }

  PickleValue* top() const;
  PickleValue* pop();
  std::vector<PickleRef> pop_many(size_t count);  // in the order they were pushed
  std::vector<PickleRef> pop_to_mark();
  void drop();  // the top value, or the mark if that is what lies on top

  // The top value as a `Kind`, left where it is.
  template <class Kind>
  Kind& top_as(const char* what) const {
    return expect<Kind>(top(), what);
  }

  template <class Kind>
  Kind& pop_as(const char* what) {
    return expect<Kind>(pop(), what);
  }

  void remember() { remember(memo_.size()); }
  void remember(size_t key) { memo_[key] = top(); }
  void recall(size_t key);

  // Ends the machine: the one value that is left, and all it refers to.
  Pickle finish(size_t byte_count);

 private:
  template <class Kind>
  Kind& expect(PickleValue* value, const char* what) const {
    Kind* kind = std::get_if<Kind>(&value->data);
    check(kind != nullptr, "core", "{}: damaged pickle: expected {}", source_, what);
    return *kind;
  }

  size_t above_mark() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  std::string source_;
  std::deque<PickleValue> values_;
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;  // stack heights
  std::unordered_map<size_t, PickleValue*> memo_;
};

}  // namespace sgf
