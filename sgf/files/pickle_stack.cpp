// Nothing is ever taken from below the last mark; every function here keeps this rule.
#include "sgf/files/pickle_stack.h"

namespace sgf {

PickleValue* PickleStack::top() const {
  SGF_CHECK(above_mark() > 0, "{}: damaged pickle: takes from an empty stack", source_);
  return stack_.back();
}

PickleValue* PickleStack::pop() {
  PickleValue* value = top();
  stack_.pop_back();
  return value;
}

std::vector<PickleRef> PickleStack::pop_many(size_t count) {
  SGF_CHECK(above_mark() >= count, "{}: damaged pickle: takes {} from a stack of {}", source_, count, above_mark());
  spend(kSlotBytes + count * kReferenceBytes);
  std::vector<PickleRef> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
  stack_.resize(stack_.size() - count);
  return items;
}

std::vector<PickleRef> PickleStack::pop_to_mark() {
  SGF_CHECK(!marks_.empty(), "{}: damaged pickle: no mark on the stack", source_);
  std::vector<PickleRef> items = pop_many(above_mark());
  marks_.pop_back();
  return items;
}

void PickleStack::drop() {
  if (!marks_.empty() && above_mark() == 0) {
    marks_.pop_back();
  } else {
    pop();
  }
}

void PickleStack::recall(size_t key) {
  const auto found = memo_.find(key);
  SGF_CHECK(found != memo_.end(), "{}: damaged pickle: memo {} was never set", source_, key);
  push(found->second);
}

Pickle PickleStack::finish(size_t byte_count) {
  const PickleRef root = pop();
  return {.values = std::move(values_), .root = root, .byte_count = byte_count};
}

}  // namespace sgf
