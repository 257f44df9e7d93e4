#include "sgf/streaming/block_pipeline.h"

#include "sgf/core/bounded_queue.h"
#include "sgf/core/device_timer.h"
#include "sgf/core/error.h"
#include "sgf/core/milliseconds_since.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

namespace sgf {
namespace {

constexpr size_t kAhead = 2;  // blocks that may wait between two stages

c10::Stream stream_of(c10::Device device) { return c10::impl::VirtualGuardImpl(device.type()).getStream(device); }

// Gives a thread its own GPU stream, so that its work overlaps with other threads'.
class OwnQueue {
 public:
  explicit OwnQueue(c10::Device device) {
    at::init_num_threads();
    if (!device.is_cpu())
      guard_.emplace(
          c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device, /*isHighPriority=*/true));
  }

 private:
  std::optional<c10::StreamGuard> guard_;
};

at::Tensor on_host(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return tensor.clone();
  at::Tensor host = at::empty(tensor.sizes(), tensor.options().device(at::kCPU).pinned_memory(true));
  return host.copy_(tensor, /*non_blocking=*/true);
}

NamedTensors on_host(NamedTensors tensors) {
  for (auto& [name, tensor] : tensors) tensor = tensor.is_cpu() ? tensor.clone() : tensor.cpu();
  return tensors;
}

at::Tensor as_bytes(const at::Tensor& pictures) {
  return pictures.clamp(0, 1).mul_(255).add_(0.5).floor_().to(at::kByte);
}

}  // namespace

// The two later stages, each a thread, and the queues before them.
struct BlockPipeline::Stages {
  // An event in a device's queue that another queue, or the host, can wait for. A no-op on the CPU.
  class Mark {
   public:
    static Mark here(c10::Device device) {
      Mark mark;
      if (device.is_cpu()) return mark;
      mark.event_.emplace(device.type());
      mark.event_->record(stream_of(device));
      return mark;
    }
    void wait_in_queue(c10::Device device) {
      if (event_) event_->block(stream_of(device));
    }
    void wait() const {
      if (event_) event_->synchronize();
    }

   private:
    std::optional<c10::Event> event_;
  };

  struct DenoisedWork {
    BlockTurn turn;
    StreamBlock block;
    std::optional<NamedTensors> state;
    DeviceTimer timer;
    Mark done;
  };

  struct DecodedWork {
    BlockTurn turn;
    DeliveredBlock block;
    DeviceTimer denoise, decode;
    Mark done;
  };

  Stages(c10::Device on, std::function<void()> first) : device(on), prepare(std::move(first)) {
    guarded({}, [this] {  // a thread that cannot start is an error like any other: the one before it ends
      decoding = std::thread([this] { guarded({}, [this] { decode_all(); }); });
      delivering = std::thread([this] { guarded({}, [this] { deliver_all(); }); });
    });
  }

  // Without `failed`, an error ends the pipeline.
  template <class Work>
  void guarded(const std::function<void(std::exception_ptr)>& failed, Work work) {
    try {
      work();
    } catch (...) {
      if (failed) return failed(std::current_exception());
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      abandon();
    }
  }

  void abandon() {
    denoised.abandon();
    decoded.abandon();
  }

  bool denoise(BlockTurn turn) {
    const at::NoGradGuard no_grad;
    SceneStream& latents = *turn.latents;
    DeviceTimer timer(device);
    timer.start();
    StreamBlock block = latents.next();
    timer.stop();
    std::optional<NamedTensors> state;
    if (turn.wants_snapshot && turn.wants_snapshot()) state = on_host(latents.state());
    Mark done = Mark::here(device);
    return denoised.push({std::move(turn), std::move(block), std::move(state), std::move(timer), std::move(done)});
  }

  void decode(DenoisedWork work) {
    work.done.wait_in_queue(device);
    if (!device.is_cpu()) work.block.latents.record_stream(stream_of(device));
    DeviceTimer timer(device);
    timer.start();
    DeliveredBlock block{.index = work.block.index, .latents = on_host(work.block.latents[0].to(at::kFloat))};
    if (work.turn.decodes) block.pictures = on_host(as_bytes(work.turn.decoder->next(work.block.latents)[0]));
    timer.stop();
    if (work.state) block.snapshot = {std::move(*work.state), on_host(work.turn.decoder->state())};
    Mark done = Mark::here(device);
    decoded.push({std::move(work.turn), std::move(block), std::move(work.timer), std::move(timer), std::move(done)});
  }

  void decode_all() {
    const OwnQueue queue(device);
    const at::NoGradGuard no_grad;
    if (prepare) prepare();
    while (std::optional<DenoisedWork> work = denoised.pop()) {
      const auto failed = work->turn.failed;
      guarded(failed, [&] { decode(std::move(*work)); });
    }
  }

  void deliver(const DecodedWork& work) {
    work.done.wait();
    const SceneStream& latents = *work.turn.latents;
    BlockTimes times{
        .pictures = latents.pictures_after(work.block.index + 1) - latents.pictures_after(work.block.index),
        .denoise = work.denoise.milliseconds(),
        .decode = work.decode.milliseconds()};
    const auto begin = std::chrono::steady_clock::now();
    check_finite(work.block.latents, fmt::format("block {}", work.block.index + 1));
    work.turn.deliver(work.block);
    times.deliver = milliseconds_since(begin);
    if (work.turn.timed) work.turn.timed(times);
  }

  void deliver_all() {
    while (std::optional<DecodedWork> work = decoded.pop()) guarded(work->turn.failed, [&] { deliver(*work); });
  }

  // Both threads end, after the blocks on their way unless abandoned.
  void join() {
    denoised.close();
    if (decoding.joinable()) decoding.join();
    decoded.close();
    if (delivering.joinable()) delivering.join();
  }

  c10::Device device;
  std::function<void()> prepare;
  BoundedQueue<DenoisedWork> denoised{kAhead};
  BoundedQueue<DecodedWork> decoded{kAhead};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  std::thread decoding, delivering;
};

BlockPipeline::BlockPipeline(c10::Device device, std::function<void()> prepare)
    : stages_(std::make_unique<Stages>(device, std::move(prepare))) {}
BlockPipeline::~BlockPipeline() { stages_->join(); }

bool BlockPipeline::denoise(BlockTurn turn) { return stages_->denoise(std::move(turn)); }

void BlockPipeline::finish() {
  stages_->join();
  if (stages_->failure) std::rethrow_exception(stages_->failure);
}

void BlockPipeline::abandon() {
  stages_->abandon();
  stages_->join();
}

StreamSnapshot snapshot_of(StreamSession& session) {
  return {on_host(session.latents().state()), on_host(session.decoder().state())};
}

void warm_up_decoder(const SceneStream& latents) {
  const LatentStreamSettings& s = latents.settings().latents;
  latents.codec().stream_decoder()->next(at::zeros({1, s.first_block_frames, s.latent[0], s.latent[1], s.latent[2]},
                                                   at::TensorOptions(at::kFloat).device(latents.device())));
}

void check_finite(const at::Tensor& latents, const std::string& what) {
  SGF_CHECK(at::isfinite(latents).all().item<bool>(),
            "{} has latents that are not finite: the weights are damaged or their training diverged; use an earlier "
            "checkpoint, or try --dtype float32",
            what);
}

}  // namespace sgf
