#include "fuzz/tensor_files.h"

#include <algorithm>

namespace sgf::fuzz {
namespace {

constexpr uint64_t kMostTouched = 4 << 20;  // bytes: views may overlap, a thousand times over

bool is_dense(const TensorEntry& entry) {
  return entry.is_contiguous() && dense_byte_count(entry.dtype, entry.shape) == entry.extent;
}

}  // namespace

void touch_all(const TensorFile& file) {
  uint64_t left = kMostTouched;
  unsigned sum = 0;
  for (const TensorEntry& entry : file.entries) {
    must(file.find(entry.name) == &entry, "an entry is found by its name");
    const auto bytes = file.bytes(entry);
    must(bytes.size() == entry.extent, "an entry's bytes are as many as its extent");
    must(entry.element_count() >= 0, "a tensor has no negative number of elements");
    for (const std::byte byte : bytes.first(std::min<uint64_t>(left, bytes.size())))
      sum += std::to_integer<unsigned>(byte);
    left -= std::min<uint64_t>(left, bytes.size());
  }
  [[maybe_unused]] const volatile unsigned is_read = sum;
}

std::vector<OutgoingTensor> outgoing(const TensorFile& file) {
  std::vector<OutgoingTensor> tensors;
  for (const TensorEntry& entry : file.entries)
    if (is_dense(entry)) tensors.push_back(outgoing_bytes(entry.name, entry.dtype, entry.shape, file.bytes(entry)));
  return tensors;
}

void must_hold_the_same(const TensorFile& before, const TensorFile& after) {
  size_t compared = 0;
  for (const TensorEntry& entry : before.entries) {
    if (!is_dense(entry)) continue;
    const TensorEntry* twin = after.find(entry.name);
    must(twin != nullptr, "a written tensor is found again");
    must(twin->dtype == entry.dtype && twin->shape == entry.shape, "a written tensor keeps type and shape");
    must(std::ranges::equal(before.bytes(entry), after.bytes(*twin)), "a written tensor keeps its bytes");
    ++compared;
  }
  must(after.entries.size() == compared, "no tensor is written that was not there");
  must(after.metadata == before.metadata, "metadata stay as they are");
}

}  // namespace sgf::fuzz
