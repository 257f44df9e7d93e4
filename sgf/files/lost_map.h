// A mapped file that loses its bytes while it is read. The system then raises SIGBUS in the middle of a product, where
// no exception can be thrown: the program names the file and ends.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// For the program, once, at its start: SIGBUS within a mapped file prints which file and exits with 1. Others are left
// to the system.
void explain_lost_maps();

// The path of the map in one line of /proc/self/maps that holds the address; empty where it does not, or has no file.
std::string_view mapped_path(std::string_view line, unsigned long address);

}  // namespace sgf
