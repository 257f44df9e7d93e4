// What `sgf --version` says.
#pragma once

#include <string>

namespace sgf {

// The program's version and commit, the version of torch, CUDA or its absence, and the components built in, one per
// line.
std::string version_text();

}  // namespace sgf
