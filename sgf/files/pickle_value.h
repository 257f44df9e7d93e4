// The content of a pickle as plain data: nothing is imported, constructed or called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sgf {

struct PickleValue;

// Values are owned by their Pickle. They may refer to each other freely, even in cycles.
using PickleRef = const PickleValue*;
constexpr size_t kReferenceBytes = sizeof(void*);

struct PickleNone {};

struct PickleBytes {
  std::string data;
};

// An integer of more than 64 bits, two's complement, least significant byte first.
struct PickleLong {
  std::string data;
};

// A list, or a set, whose order has no meaning.
struct PickleList {
  std::vector<PickleRef> items;
};

struct PickleTuple {
  std::vector<PickleRef> items;
};

// In the order written. Also holds an OrderedDict.
struct PickleDict {
  std::vector<std::pair<PickleRef, PickleRef>> items;
};

// The name of a class or function, such as "torch._utils._rebuild_tensor_v2".
struct PickleGlobal {
  std::string name;
};

// What Python would build by calling `callable` with `args` and then setting `state`.
struct PickleObject {
  const PickleGlobal* callable = nullptr;
  PickleRef args = nullptr;   // a tuple
  PickleRef state = nullptr;  // null if there is none
};

// Something outside the pickle, here a storage.
struct PicklePersistent {
  PickleRef id = nullptr;
};

struct PickleValue {
  std::variant<PickleNone, bool, int64_t, double, std::string, PickleBytes, PickleLong, PickleList, PickleTuple,
               PickleDict, PickleGlobal, PickleObject, PicklePersistent>
      data;

  // Null if the value is of another kind.
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&data);
  }
};

// One pickle. Its values live in one container, so that destroying them does not recurse.
struct Pickle {
  std::deque<PickleValue> values;
  PickleRef root = nullptr;
  size_t byte_count = 0;  // bytes read from the input
};

}  // namespace sgf
