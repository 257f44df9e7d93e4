// Handles a mapped file that becomes shorter while it is read. The system then raises SIGBUS in the middle of a matmul,
// where no exception can be thrown: the program names the file and exits.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// The program calls this once, at its start. SIGBUS within a mapped file prints which file and exits with code 1. Any
// other SIGBUS is left to the system.
void explain_lost_maps();

// The path of the mapping, if this line of /proc/self/maps covers the address; empty if it does not, or has no file.
std::string_view mapped_path(std::string_view line, unsigned long address);

}  // namespace sgf
