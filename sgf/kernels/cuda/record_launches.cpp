#include "sgf/kernels/cuda/record_launches.h"
#include "sgf/core/error.h"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <utility>

namespace sgf {
namespace {

class CudaRecording final : public LaunchRecording {
 public:
  void replay() override { graph.replay(); }

  at::cuda::CUDAGraph graph;
};

void wait_for(const c10::cuda::CUDAStream& waiting, const c10::cuda::CUDAStream& other) {
  at::cuda::CUDAEvent event;
  event.record(other);
  event.block(waiting);
}

}  // namespace

struct SideStream::Handle {
  c10::cuda::CUDAStream stream;
  at::cuda::MempoolId_t pool = {0, 0};  // none yet
};

SideStream::SideStream(c10::Device device)
    : handle_(new Handle{c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())}) {}

SideStream::~SideStream() = default;

void SideStream::run(const std::function<void()>& work) const {
  const c10::cuda::CUDAStream& side = handle_->stream;
  const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream(side.device_index());
  wait_for(side, current);
  {
    const c10::cuda::CUDAStreamGuard guard(side);
    work();
  }
  wait_for(current, side);
}

std::unique_ptr<LaunchRecording> SideStream::record(const std::function<void()>& work) const {
  auto recording = std::make_unique<CudaRecording>();
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard guard(handle_->stream);
  // Other threads may allocate memory during capture: a stream decodes while its network runs.
  recording->graph.capture_begin(handle_->pool, cudaStreamCaptureModeThreadLocal);
  try {
    work();
  } catch (const std::exception& error) {
    const std::string reason = error.what();
    try {
      recording->graph.capture_end();
    } catch (const std::exception&) {  // recording has already failed, and `reason` says why
    }
    fail("GPU work of a step cannot be recorded: {}; set train.record_launches to false", reason);
  }
  recording->graph.capture_end();
  handle_->pool = recording->graph.pool();
  return recording;
}

}  // namespace sgf
