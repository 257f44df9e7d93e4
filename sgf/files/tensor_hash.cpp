#include "sgf/files/tensor_hash.h"

#include "sgf/core/error.h"

#define XXH_INLINE_ALL  // header-only: no library to link, so the binary is portable
#include <xxhash.h>

#include <utility>

namespace sgf {

struct TensorHash::State {
  XXH3_state_t* xxh = XXH3_createState();

  State() {
    SGF_CHECK(xxh != nullptr, "out of memory: cannot allocate a hash");
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

TensorHash::TensorHash() : state_(std::make_unique<State>()) {}
TensorHash::~TensorHash() = default;
TensorHash::TensorHash(TensorHash&&) noexcept = default;
TensorHash& TensorHash::operator=(TensorHash&&) noexcept = default;

void TensorHash::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

std::string TensorHash::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string tensor_hash_of(std::span<const std::byte> bytes) {
  TensorHash hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace sgf
