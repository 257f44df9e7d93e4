// Convolution settings on a GPU while an instance lives.
#pragma once

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

namespace sgf {

// On a GPU it lets cuDNN try its algorithms once, which pays if shapes repeat, and keeps float32 exact instead of
// TF32's 10 bits. Both are global torch settings; the destructor restores them.
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
