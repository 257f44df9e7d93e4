// Work that comes again with other numbers in the same shapes. On a GPU it is recorded and replayed: a small network's
// step would be over before the host has queued the next launch.
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

// Tensors in, tensors out. To be recorded it may neither wait for the device nor read the host's memory, and whatever
// else it reads (weights) stays where it is.
using TensorWork = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& inputs)>;

class RecordedWork {
 public:
  // What work(inputs) gives; `variant` numbers works that differ in what is no tensor. The first call with a variant
  // and inputs of some shapes runs it as it is, the second records it, those after it replay. Results live until the
  // next call: recordings share their memory. On the CPU it always runs as it is.
  std::vector<at::Tensor> run(int64_t variant, const TensorWork& work, const std::vector<at::Tensor>& inputs);

  // The same for work on structs: inputs are a list of tensors by tensors() and with(tensors), results by tensors() and
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
  // One recording: the places that inputs are copied to, and those that results appear in.
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
