// Where the library's messages go. It prints nothing itself; the caller passes a function that does.
#pragma once

#include <functional>
#include <string>

namespace sgf {

// Receives a line of text. May be empty, and then the line is dropped.
using Log = std::function<void(const std::string&)>;

}  // namespace sgf
