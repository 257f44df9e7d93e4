// Checked entry for noise tensors, and their CPU path.
#include "sgf/kernels/noise_fill.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cuda/current_stream.h"
#include "sgf/kernels/cuda/noise_fill.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <span>
#include <vector>

namespace sgf {
namespace {

using cuda::NoiseDistribution;
using cuda::NoiseRows;

ComputeDtype noise_dtype(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return ComputeDtype::kFloat64;
    case at::kFloat:
      return ComputeDtype::kFloat32;
    case at::kBFloat16:
      return ComputeDtype::kBFloat16;
    default:
      fail("noise dtype must be float64, float32 or bfloat16, got {}", c10::toString(type));
  }
}

// Elements per task of the thread pool: about a millisecond of work, and a limit for the bfloat16 scratch.
constexpr int64_t kGrain = 1 << 15;

void draw(const NoiseKey& key, NoiseDistribution distribution, std::span<float> out, int64_t first) {
  distribution == NoiseDistribution::kNormal ? fill_normal(key, out, first) : fill_uniform(key, out, first);
}

// Draws in float32 and converts: the only place where the dtype matters.
template <class Value>
void fill_piece(const NoiseKey& key, NoiseDistribution distribution, std::span<Value> out, int64_t first) {
  std::vector<float> scratch(out.size());
  draw(key, distribution, scratch, first);
  std::transform(scratch.begin(), scratch.end(), out.begin(), [](float value) { return static_cast<Value>(value); });
}

template <class Value>
void fill_row(Value* out, const NoiseKey& key, NoiseDistribution distribution, int64_t elements) {
  const int64_t pieces = (elements + kGrain - 1) / kGrain;
  at::parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t first = piece * kGrain;
      const auto size = static_cast<size_t>(std::min(kGrain, elements - first));
      fill_piece(key, distribution, std::span<Value>(out + first, size), first);
    }
  });
}

template <class Value>
void fill_rows_on_cpu(at::Tensor& out, NoiseDistribution distribution, const NoiseRows& rows) {
  NoiseKey key = rows.first;
  for (int64_t row = 0; row < rows.rows; ++row, ++key.sample) {
    fill_row(out.data_ptr<Value>() + row * rows.row_elements, key, distribution, rows.row_elements);
  }
}

void fill_on_cpu(at::Tensor& out, ComputeDtype dtype, NoiseDistribution distribution, const NoiseRows& rows) {
  switch (dtype) {
    case ComputeDtype::kFloat64:
      return fill_rows_on_cpu<double>(out, distribution, rows);
    case ComputeDtype::kFloat32:
      return fill_rows_on_cpu<float>(out, distribution, rows);
    case ComputeDtype::kBFloat16:
      return fill_rows_on_cpu<at::BFloat16>(out, distribution, rows);
  }
}

void fill_on_cuda(at::Tensor& out, ComputeDtype dtype, NoiseDistribution distribution, const NoiseRows& rows) {
  const c10::DeviceGuard guard(out.device());
  const auto stream = static_cast<cudaStream_t>(current_stream(out.device()));
  const char* refusal = cuda::fill_noise(out.data_ptr(), dtype, distribution, rows, stream);
  SGF_CHECK(refusal == nullptr, "noise on {} failed: {}", out.device().str(), refusal);
}

void check_rows(const NoiseRows& rows) {
  check_key(rows.first);
  NoiseKey last = rows.first;
  last.sample += std::max<int64_t>(rows.rows, 1) - 1;
  check_key(last);
}

at::Tensor filled(const NoiseRows& rows, NoiseDistribution distribution, at::IntArrayRef shape,
                  const at::TensorOptions& options) {
  check_rows(rows);
  const ComputeDtype dtype = noise_dtype(c10::typeMetaToScalarType(options.dtype()));
  SGF_CHECK(options.device().is_cpu() || options.device().is_cuda(), "noise device must be CPU or CUDA, got {}",
            options.device().str());
  at::Tensor out = at::empty(shape, options.requires_grad(false));
  if (out.numel() == 0) return out;
  out.is_cuda() ? fill_on_cuda(out, dtype, distribution, rows) : fill_on_cpu(out, dtype, distribution, rows);
  return out;
}

NoiseRows one_row(const NoiseKey& key, at::IntArrayRef shape) { return {key, 1, c10::multiply_integers(shape)}; }

NoiseRows row_per_sample(const NoiseKey& first, at::IntArrayRef shape) {
  SGF_CHECK(!shape.empty(), "noise per sample needs a batch dimension, got an empty shape");
  return {first, shape[0], c10::multiply_integers(shape.slice(1))};
}

}  // namespace

at::Tensor normal(const NoiseKey& key, at::IntArrayRef shape, const at::TensorOptions& options) {
  return filled(one_row(key, shape), NoiseDistribution::kNormal, shape, options);
}

at::Tensor uniform(const NoiseKey& key, at::IntArrayRef shape, const at::TensorOptions& options) {
  return filled(one_row(key, shape), NoiseDistribution::kUniform, shape, options);
}

at::Tensor normal_per_sample(const NoiseKey& first, at::IntArrayRef shape, const at::TensorOptions& options) {
  return filled(row_per_sample(first, shape), NoiseDistribution::kNormal, shape, options);
}

at::Tensor uniform_per_sample(const NoiseKey& first, at::IntArrayRef shape, const at::TensorOptions& options) {
  return filled(row_per_sample(first, shape), NoiseDistribution::kUniform, shape, options);
}

}  // namespace sgf
