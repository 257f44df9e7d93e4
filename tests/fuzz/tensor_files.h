// What several targets ask of an opened weight file.
#pragma once

#include "fuzz/fuzz_target.h"

#include "sgf/files/safetensors.h"
#include "sgf/files/tensor_file.h"

#include <vector>

namespace sgf::fuzz {

// Reads every byte that an entry claims, once.
void touch_all(const TensorFile& file);

// Dense entries, ready to be written; others have bytes that belong to no element.
std::vector<OutgoingTensor> outgoing(const TensorFile& file);

// Names, types, shapes and bytes of the dense entries.
void must_hold_the_same(const TensorFile& before, const TensorFile& after);

}  // namespace sgf::fuzz
