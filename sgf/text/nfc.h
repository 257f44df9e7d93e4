// Canonical composition: "e" with an acute accent after it becomes "é". Torch-free.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// Unicode's normal form C.
std::u32string to_nfc(std::u32string_view text);

}  // namespace sgf
