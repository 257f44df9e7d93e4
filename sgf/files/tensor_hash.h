// A hash that detects damage to tensors on disk: XXH3 with 128 bits. Much faster than a disk; not cryptographic.
// Torch-free.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sgf {

// Hashes bytes as they stream by.
class TensorHash {
 public:
  TensorHash();
  ~TensorHash();
  TensorHash(TensorHash&&) noexcept;
  TensorHash& operator=(TensorHash&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  // The hash of all bytes so far, 32 lower-case digits; more may follow.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A placeholder of the length of every hash.
inline constexpr const char* kNoTensorHash = "00000000000000000000000000000000";

std::string tensor_hash_of(std::span<const std::byte> bytes);

}  // namespace sgf
