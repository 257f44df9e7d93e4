// Handles a mapped file that becomes shorter while it is read. The system then raises SIGBUS in the middle of a matmul,
// where no exception can be thrown: the program is told which file it was, and ends.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// Gets one line of text without its newline, free of control characters. Called in a signal handler: it may only make
// system calls that POSIX lists as async-signal-safe, as write(2).
using LostMapWriter = void (*)(std::string_view line);

// The program calls this once, at its start. SIGBUS within a mapped file passes a line that names the file to `write`,
// then ends the process with code 1. Any other SIGBUS is left to the system.
void explain_lost_maps(LostMapWriter write);

// The path of the mapping, if this line of /proc/self/maps covers the address; empty if it does not, or has no file.
std::string_view mapped_path(std::string_view line, unsigned long address);

}  // namespace sgf
