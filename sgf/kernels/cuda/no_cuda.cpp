// Replaces this folder in a build without CUDA, where no device uses it.
#include "sgf/core/error.h"
#include "sgf/kernels/cuda/channel_norm.h"
#include "sgf/kernels/cuda/column_sums.h"
#include "sgf/kernels/cuda/gated_residual.h"
#include "sgf/kernels/cuda/key_parts.h"
#include "sgf/kernels/cuda/layer_norm_modulate.h"
#include "sgf/kernels/cuda/noise_fill.h"
#include "sgf/kernels/cuda/norm_rotate.h"
#include "sgf/kernels/cuda/record_launches.h"
#include "sgf/kernels/cuda/rms_norm.h"
#include "sgf/kernels/cuda/rope.h"

namespace sgf::cuda {

const char* channel_norm(const ChannelNormForward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* column_sums(const ColumnSums&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* gated_residual(const GatedResidualForward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* gated_residual(const GatedResidualBackward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* join_parts(const JoinParts&, FloatType, cudaStream_t) { return kNoCuda; }

int64_t processor_count(int) { return 1; }

const char* layer_norm_modulate(const LayerNormModulateForward&, const RowShape&, FloatType, cudaStream_t) {
  return kNoCuda;
}

const char* layer_norm_modulate(const LayerNormModulateBackward&, const RowShape&, FloatType, cudaStream_t) {
  return kNoCuda;
}

const char* fill_noise(void*, ComputeDtype, NoiseDistribution, const NoiseRows&, cudaStream_t) {
  return "this build has no CUDA kernels; build with CUDA, or use the CPU";
}

const char* norm_rotate(const NormRotate&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* rms_norm(const RmsNormForward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* rms_norm(const RmsNormBackward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* rotate(const Rotation&, FloatType, cudaStream_t) { return kNoCuda; }

}  // namespace sgf::cuda

namespace sgf {

struct SideStream::Handle {};

SideStream::SideStream(c10::Device device) {
  fail("GPU work on {} cannot be recorded: this build has no CUDA", device.str());
}
SideStream::~SideStream() = default;
void SideStream::run(const std::function<void()>&) const {}
std::unique_ptr<LaunchRecording> SideStream::record(const std::function<void()>&) const { return nullptr; }

}  // namespace sgf
