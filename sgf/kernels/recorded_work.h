// Work that repeats with other numbers in the same shapes. On a GPU it is recorded and replayed: for a small network,
// kernels finish faster than the host can launch them.
#pragma once

#include "sgf/kernels/cuda/record_launches.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sgf {

// Tensors in, tensors out. While recorded it must not wait for the device or read host memory, and everything else that
// it reads (weights) must stay at its address.
using TensorWork = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& inputs)>;

class RecordedWork {
 public:
  // Returns work(inputs). `variant` distinguishes works that differ in something other than tensors. The first call
  // with a variant and input shapes runs the work directly, the second records it, later ones replay. Results are valid
  // until the next call: recordings share memory. On the CPU the work always runs directly.
  std::vector<at::Tensor> run(int64_t variant, const TensorWork& work, const std::vector<at::Tensor>& inputs);

  // The same for work on structs: inputs convert with tensors() and with(tensors), results with tensors() and
  // of(tensors).
  template <class Inputs, class Work>
  auto compute(int64_t variant, const Inputs& inputs, const Work& work) {
    using Result = std::invoke_result_t<const Work&, const Inputs&>;
    const TensorWork on_tensors = [&](const std::vector<at::Tensor>& tensors) {
      return work(inputs.with(tensors)).tensors();
    };
    return Result::of(run(variant, on_tensors, inputs.tensors()));
  }

 private:
  using Key = std::pair<int64_t, std::vector<std::vector<int64_t>>>;  // variant, shapes
  // One recording: the tensors that inputs are copied to, and those in which results appear.
  struct Take {
    std::vector<at::Tensor> inputs, results;
    std::unique_ptr<LaunchRecording> launches;
  };

  std::vector<at::Tensor> run_beside(const TensorWork& work, const std::vector<at::Tensor>& inputs);
  void record(Take& take, const TensorWork& work, const std::vector<at::Tensor>& inputs);

  std::unique_ptr<SideStream> side_;
  std::map<Key, Take> takes_;
};

}  // namespace sgf
