// Memory that runs out before main() begins.
#pragma once

namespace sgf {

// Set by main(). Before it, while libraries make their static objects, nobody catches errors: running out of memory
// then ends the program with a message instead of an abort.
extern bool main_has_begun;

}  // namespace sgf
