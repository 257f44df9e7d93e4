#include "sgf/training/distributed/tensor_buckets.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

// One past the last tensor of the bucket that starts at `first`.
size_t bucket_end(const std::vector<at::Tensor>& tensors, size_t first, int64_t bytes) {
  size_t end = first;
  int64_t room = bytes;
  do {
    room -= static_cast<int64_t>(tensors[end++].nbytes());
  } while (end < tensors.size() && static_cast<int64_t>(tensors[end].nbytes()) <= room &&
           tensors[end].scalar_type() == tensors[first].scalar_type() &&
           tensors[end].device() == tensors[first].device());
  return end;
}

at::Tensor flatten(const std::vector<at::Tensor>& tensors, size_t first, size_t end) {
  if (end == first + 1 && tensors[first].is_contiguous()) return tensors[first].detach().view(-1);
  std::vector<at::Tensor> parts;
  for (size_t i = first; i < end; ++i) parts.push_back(tensors[i].detach().reshape(-1));
  return at::cat(parts);
}

}  // namespace

void for_each_bucket(const std::vector<at::Tensor>& tensors, int64_t bytes,
                     const std::function<void(at::Tensor& flat)>& run) {
  const at::NoGradGuard no_grad;
  for (size_t first = 0; first < tensors.size();) {
    const size_t end = bucket_end(tensors, first, bytes);
    at::Tensor flat = flatten(tensors, first, end);
    if (flat.numel() > 0) run(flat);
    for (int64_t offset = 0; first < end; ++first) {
      const at::Tensor part = flat.narrow(0, offset, tensors[first].numel()).view(tensors[first].sizes());
      if (part.data_ptr() != tensors[first].data_ptr()) at::Tensor(tensors[first]).copy_(part);
      offset += tensors[first].numel();
    }
  }
}

}  // namespace sgf
