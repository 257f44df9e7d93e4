#include "sgf/core/out_of_memory.h"

#include <fmt/format.h>

namespace sgf {
namespace {

struct SpelledSize {
  double number;
  std::string_view unit;
};

SpelledSize in_units(size_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto number = static_cast<double>(bytes);
  size_t unit = 0;
  for (; number >= 1e3 && unit + 1 < kUnits.size(); ++unit) number /= 1e3;
  return {number, kUnits[unit]};
}

}  // namespace

OutOfMemory::OutOfMemory(size_t bytes, std::string_view work) noexcept : bytes_(bytes), names_work_(!work.empty()) {
  const std::string_view who = names_work_ ? work : "the program";
  const auto [number, unit] = in_units(bytes);
  constexpr std::string_view kTry = "end other programs, raise the limit (ulimit -v), or use a smaller input";
  const size_t most = text_.size() - 1;
  if (bytes > 0)
    fmt::format_to_n(text_.data(), most, "out of memory: {} requested {:.1f} {}; {}", who, number, unit, kTry);
  else
    fmt::format_to_n(text_.data(), most, "out of memory: {} requested more than is available; {}", who, kTry);
}

void rethrow_out_of_memory(const std::bad_alloc& error, std::string_view work) {
  const auto* known = dynamic_cast<const OutOfMemory*>(&error);
  if (known != nullptr && known->names_work()) throw OutOfMemory(*known);
  throw OutOfMemory(known != nullptr ? known->bytes() : 0, work);
}

}  // namespace sgf
