// Sums and products of sizes read from a file or a config. They return nullopt on 64-bit overflow.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace sgf {

// Also nullopt if a factor is negative: sizes never are.
inline std::optional<int64_t> checked_product(std::span<const int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors)
    if (factor < 0 || __builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  return product;
}
inline std::optional<int64_t> checked_product(std::initializer_list<int64_t> factors) {
  return checked_product(std::span(factors.begin(), factors.size()));
}

inline std::optional<int64_t> checked_sum(std::initializer_list<int64_t> terms) {
  int64_t sum = 0;
  for (const int64_t term : terms)
    if (term < 0 || __builtin_add_overflow(sum, term, &sum)) return std::nullopt;
  return sum;
}

}  // namespace sgf
