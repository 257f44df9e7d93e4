// Packs many small tensors into few flat ones for communication.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sgf {

// Joins neighbouring tensors of one dtype and device up to `bytes` (a larger tensor stays alone), calls run(flat), and
// copies the results back. The same tensors always give the same buckets.
void for_each_bucket(const std::vector<at::Tensor>& tensors, int64_t bytes,
                     const std::function<void(at::Tensor& flat)>& run);

}  // namespace sgf
