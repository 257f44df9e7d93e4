// The keys of flat Self-Forcing-style files, and what each means here.
#pragma once

#include <string_view>
#include <vector>

namespace sgf {

enum class FlatUse {
  kSame,     // the value is taken as it is, under the key `ours`
  kDerived,  // `ours` is computed from it
  kOnly,     // only the value `ours` is what is done here
  kUnused,   // left out; the remark says why
};

struct FlatKey {
  std::string_view key;  // dotted within model_kwargs
  FlatUse use;
  std::string_view ours;
  std::string_view remark;
};

// A key that becomes two of ours stands twice.
const std::vector<FlatKey>& flat_keys();

}  // namespace sgf
