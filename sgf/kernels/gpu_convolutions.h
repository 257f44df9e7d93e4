// How convolutions run on a GPU while one of these lives.
#pragma once

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

namespace sgf {

// On a GPU: where shapes repeat, trying cuDNN's algorithms once pays; and float32 means float32, not the 10 bits of
// TF32. Both settings are torch's own, for all: they are put back.
class GpuConvolutions {
 public:
  GpuConvolutions(const at::Tensor& like, bool tries)
      : is_on_(like.is_cuda()), tries_(context().benchmarkCuDNN()), tf32_(is_on_ && context().allowTF32CuDNN()) {
    set(tries, false);
  }
  ~GpuConvolutions() { set(tries_, tf32_); }
  GpuConvolutions(const GpuConvolutions&) = delete;
  GpuConvolutions& operator=(const GpuConvolutions&) = delete;

 private:
  static at::Context& context() { return at::globalContext(); }
  void set(bool tries, bool tf32) const {
    if (!is_on_) return;
    context().setBenchmarkCuDNN(tries);
    context().setAllowTF32CuDNN(tf32);
  }

  bool is_on_, tries_, tf32_;
};

}  // namespace sgf
