// Recordings under tests/data/reference, as tensors.
#pragma once

#include "sgf/files/tensors.h"

#include <ATen/ATen.h>

#include <string>
#include <string_view>

namespace sgf {

class ReferenceTensors {
 public:
  explicit ReferenceTensors(const std::string& name) : file_(open_tensor_file(SGF_TEST_DATA "/reference/" + name)) {}

  at::Tensor operator[](std::string_view name) const { return map_tensor(file_, name).to(at::kDouble); }

 private:
  TensorFile file_;
};

inline double rel_l2(const at::Tensor& got, const at::Tensor& expected) {
  return ((got - expected).norm() / expected.norm()).item<double>();
}

}  // namespace sgf
