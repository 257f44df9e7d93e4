#include "sgf/core/build_version.h"

#include "sgf_commit.h"  // written by cmake/SgfCommit.cmake at every build

namespace sgf {

std::string build_version() { return SGF_VERSION; }

std::string build_commit() { return SGF_COMMIT; }

}  // namespace sgf
