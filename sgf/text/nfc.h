// Canonical composition: "e" followed by an acute accent becomes "é". Torch-free.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// Unicode normalization form C.
std::u32string to_nfc(std::u32string_view text);

}  // namespace sgf
