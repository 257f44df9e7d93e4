// The pickle machine's memory: all values built so far, the stack, the marks on it, and the memo.
#pragma once

#include "sgf/core/error.h"
#include "sgf/files/pickle_value.h"

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sgf {

// All operations throw an Error that starts with `source` if the pickle uses something that does not exist, or if its
// values take more than `most_bytes` in total. Text is not counted: it is never longer than the file.
class PickleStack {
 public:
  PickleStack(std::string source, size_t most_bytes) : source_(std::move(source)), bytes_left_(most_bytes) {}

  template <class Data>
  void make(Data data) {
    spend(sizeof(PickleValue));
    values_.push_back({std::move(data)});
    push(&values_.back());
  }

  // One shared value for all its uses: a long list is mostly None, booleans and small numbers. `which` tells them
  // apart.
  template <class Data>
  void make_once(size_t which, Data data) {
    PickleValue*& known = shared_.at(which);
    if (known != nullptr) return push(known);
    make(std::move(data));
    known = stack_.back();
  }

  void push(PickleValue* value) {
    spend(kSlotBytes);
    stack_.push_back(value);
  }

  void mark() {
    spend(kSlotBytes);
    marks_.push_back(stack_.size());
  }

  // Counts memory that is kept beside the stack.
  void spend(size_t bytes) {
    SGF_CHECK(bytes <= bytes_left_, "{}: the pickle has more and smaller parts than any checkpoint", source_);
    bytes_left_ -= bytes;
  }

  PickleValue* top() const;
  PickleValue* pop();
  std::vector<PickleRef> pop_many(size_t count);  // in the order they were pushed
  std::vector<PickleRef> pop_to_mark();
  void drop();  // the top value, or the mark if that is what lies on top

  // The top value as a `Kind`, left in place.
  template <class Kind>
  Kind& top_as(const char* what) const {
    return expect<Kind>(top(), what);
  }

  template <class Kind>
  Kind& pop_as(const char* what) {
    return expect<Kind>(pop(), what);
  }

  void remember() { remember(memo_.size()); }
  void remember(size_t key) {
    spend(kMemoBytes);
    memo_[key] = top();
  }
  void recall(size_t key);

  // Ends the machine. Returns the one remaining value and everything it refers to.
  Pickle finish(size_t byte_count);

 private:
  static constexpr size_t kSlotBytes = 2 * sizeof(void*);  // a growing vector reserves up to twice its size
  static constexpr size_t kMemoBytes = 56;                 // node and bucket of a hash map

  template <class Kind>
  Kind& expect(PickleValue* value, const char* what) const {
    Kind* kind = std::get_if<Kind>(&value->data);
    SGF_CHECK(kind != nullptr, "{}: damaged pickle: expected {}", source_, what);
    return *kind;
  }

  size_t above_mark() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  std::string source_;
  size_t bytes_left_;
  std::deque<PickleValue> values_;
  std::array<PickleValue*, 259> shared_{};  // the numbers of a byte, false, true, None
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;  // stack heights
  std::unordered_map<size_t, PickleValue*> memo_;
};

}  // namespace sgf
