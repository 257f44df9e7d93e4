// What `sgf --version` says.
#pragma once

#include <string>

namespace sgf {

// The program's version, that of torch, CUDA or its absence, and the components built in, a line each.
std::string version_text();

}  // namespace sgf
