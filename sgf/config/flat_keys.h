// The keys of flat Self-Forcing-style files, and what each means here.
#pragma once

#include <string_view>
#include <vector>

namespace sgf {

enum class FlatUse {
  kSame,     // the value is copied to the key `ours`
  kDerived,  // `ours` is computed from it
  kOnly,     // only the value `ours` is supported
  kUnused,   // not used; the remark says why
};

struct FlatKey {
  std::string_view key;  // dotted within model_kwargs
  FlatUse use;
  std::string_view ours;
  std::string_view remark;
};

// A key that maps to two of ours has two rows.
const std::vector<FlatKey>& flat_keys();

}  // namespace sgf
