#include "sgf/files/weight_identity.h"

#include "sgf/files/sha256.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

constexpr uint64_t kSamples = 16, kSampleBytes = 256;

void add_bytes(Sha256& hash, std::span<const std::byte> bytes) {
  if (bytes.size() <= kSamples * kSampleBytes) return hash.update(bytes);
  const uint64_t last = bytes.size() - kSampleBytes;
  for (uint64_t i = 0; i < kSamples; ++i) {
    hash.update(bytes.subspan(last / (kSamples - 1) * i + (last % (kSamples - 1)) * i / (kSamples - 1), kSampleBytes));
  }
}

}  // namespace

std::string weight_identity(const TensorFile& file) {
  std::vector<const TensorEntry*> entries;
  for (const TensorEntry& entry : file.entries) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const TensorEntry* entry) -> const std::string& { return entry->name; });
  Sha256 hash;
  for (const TensorEntry* entry : entries) {
    hash.update(fmt::format("{} {} {} [{}] [{}]\n", entry->name.size(), entry->name, name_of(entry->dtype),
                            fmt::join(entry->shape, ","), fmt::join(entry->strides, ",")));
    add_bytes(hash, file.bytes(*entry));
  }
  return hash.hex();
}

}  // namespace sgf
