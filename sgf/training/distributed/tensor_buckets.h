// Many small tensors travel as few flat ones.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sgf {

// Calls run(flat) on neighbours of one dtype and device, joined up to `bytes` (a larger tensor goes alone), and writes
// what it made of them back into the tensors. The same tensors are always cut the same way.
void for_each_bucket(const std::vector<at::Tensor>& tensors, int64_t bytes,
                     const std::function<void(at::Tensor& flat)>& run);

}  // namespace sgf
