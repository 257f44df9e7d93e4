// What CLI11 says about a command line that it does not understand, in the words of this program.
#pragma once

#include <string>

namespace sgf {

// "--threads: Value 0 not in range 1 to 1024" becomes "--threads must be 1 to 1024, got 0". A sentence that is not
// known here comes back as it is.
std::string misuse_words(const std::string& sentence);

}  // namespace sgf
