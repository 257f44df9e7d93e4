// Which build of the library this is. Torch-free.
#pragma once

#include <string>

namespace sgf {

// "0.1.0"
std::string build_version();

// The git commit; with uncommitted changes, also a hash of them. A build outside git says so.
std::string build_commit();

}  // namespace sgf
