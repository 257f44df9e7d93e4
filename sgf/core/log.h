// How the library speaks: it prints nothing itself. Whoever calls it may hand it somewhere to speak to.
#pragma once

#include <functional>
#include <string>

namespace sgf {

// Hears a line of text; may be empty, and then nobody hears it.
using Log = std::function<void(const std::string&)>;

}  // namespace sgf
