// The results of a part of an update: loss, numbers to report, and gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace sgf {

struct UpdatePart {
  at::Tensor loss;     // without graph
  at::Tensor numbers;  // float64, on the device until the host reads them
  std::vector<at::Tensor> gradients;

  // Conversion to a list of tensors and back, for recorded work.
  std::vector<at::Tensor> tensors() const {
    std::vector<at::Tensor> out{loss, numbers};
    out.insert(out.end(), gradients.begin(), gradients.end());
    return out;
  }
  static UpdatePart of(const std::vector<at::Tensor>& tensors) {
    return {tensors.at(0), tensors.at(1), {tensors.begin() + 2, tensors.end()}};
  }
};

}  // namespace sgf
