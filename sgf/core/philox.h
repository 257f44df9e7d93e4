// Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3"): a keyed bijection on 128-bit
// counters. The same source runs on the host and in CUDA kernels, so both see the same words.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define SGF_HOST_DEVICE __host__ __device__
#else
#define SGF_HOST_DEVICE
#endif

namespace sgf {

struct PhiloxBlock {
  uint32_t word[4];
};

struct PhiloxKey {
  uint32_t word[2];
};

namespace detail {

SGF_HOST_DEVICE constexpr uint32_t high_word(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
SGF_HOST_DEVICE constexpr uint32_t low_word(uint64_t value) { return static_cast<uint32_t>(value); }

SGF_HOST_DEVICE constexpr PhiloxBlock philox_round(const PhiloxBlock& in, const PhiloxKey& key) {
  const uint64_t first = uint64_t{0xD2511F53u} * in.word[0];
  const uint64_t second = uint64_t{0xCD9E8D57u} * in.word[2];
  return {{high_word(second) ^ in.word[1] ^ key.word[0], low_word(second), high_word(first) ^ in.word[3] ^ key.word[1],
           low_word(first)}};
}

// The key schedule is a Weyl sequence: the golden ratio and sqrt(3) - 1, as 32-bit fractions.
SGF_HOST_DEVICE constexpr PhiloxKey philox_next_key(const PhiloxKey& key) {
  return {{key.word[0] + 0x9E3779B9u, key.word[1] + 0xBB67AE85u}};
}

}  // namespace detail

// For one key, distinct counters give distinct blocks.
SGF_HOST_DEVICE constexpr PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    counter = detail::philox_round(counter, key);
    key = detail::philox_next_key(key);
  }
  return counter;
}

}  // namespace sgf
