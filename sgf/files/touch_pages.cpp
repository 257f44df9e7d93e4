#include "sgf/files/touch_pages.h"

namespace sgf {

void touch_pages(std::span<const std::byte> bytes) {
  constexpr size_t kSmallestPage = 4096;
  [[maybe_unused]] volatile std::byte seen{};
  for (size_t at = 0; at < bytes.size(); at += kSmallestPage) seen = bytes[at];
  if (!bytes.empty()) seen = bytes.back();
}

}  // namespace sgf
