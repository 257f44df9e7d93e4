#include "sgf/streaming/run_stream.h"

#include "sgf/core/bounded_queue.h"
#include "sgf/core/device_timer.h"
#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

namespace sgf {
namespace {

constexpr size_t kAhead = 2;  // blocks that may wait between two stages

using SteadyClock = std::chrono::steady_clock;

double milliseconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count();
}

c10::Stream stream_of(c10::Device device) { return c10::impl::VirtualGuardImpl(device.type()).getStream(device); }

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

struct DenoisedWork {
  StreamBlock block;
  std::optional<NamedTensors> state;
  DeviceTimer timer;
  Mark done;
};

struct DecodedWork {
  DeliveredBlock block;
  DeviceTimer denoise, decode;
  Mark done;
};

// The three stages and the two queues between them.
class Pipeline {
 public:
  Pipeline(SceneStream& latents, DecoderStream& decoder, const StreamRunSettings& settings,
           const std::function<void(const DeliveredBlock&)>& deliver, SpeedMeter& meter)
      : latents_(latents), decoder_(decoder), settings_(settings), deliver_(deliver), meter_(meter) {}

  void run() {
    began_ = SteadyClock::now();
    std::thread decoding, delivering;
    guarded([&] {  // a thread that cannot start is an error like any other: the threads before it end
      decoding = std::thread([this] { guarded([this] { decode_all(); }); });
      delivering = std::thread([this] { guarded([this] { deliver_all(); }); });
      denoise_all();
    });
    denoised_.close();
    if (decoding.joinable()) decoding.join();
    decoded_.close();
    if (delivering.joinable()) delivering.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <class Work>
  void guarded(Work work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      denoised_.abandon();
      decoded_.abandon();
    }
  }

  bool is_snapshot_due(int64_t done) const {
    return settings_.snapshot_every > 0 && done % settings_.snapshot_every == 0;
  }

  void denoise_all() {
    const at::NoGradGuard no_grad;
    while (latents_.blocks() < settings_.blocks) {
      DeviceTimer timer(latents_.device());
      timer.start();
      StreamBlock block = latents_.next();
      timer.stop();
      const bool stops = settings_.should_stop && settings_.should_stop();
      std::optional<NamedTensors> state;
      if (stops || is_snapshot_due(latents_.blocks())) state = on_host(latents_.state());
      Mark done = Mark::here(latents_.device());
      if (!denoised_.push({std::move(block), std::move(state), std::move(timer), std::move(done)}) || stops) return;
    }
  }

  // GPU libraries prepare kernels at the first use of a shape. This decodes dummy latents while the first block is
  // denoised.
  void meet_first_shapes() const {
    const LatentStreamSettings& s = latents_.settings().latents;
    latents_.codec().stream_decoder()->next(at::zeros({1, s.first_block_frames, s.latent[0], s.latent[1], s.latent[2]},
                                                      at::TensorOptions(at::kFloat).device(latents_.device())));
  }

  void decode_all() {
    const c10::Device device = latents_.device();
    const OwnQueue queue(device);
    const at::NoGradGuard no_grad;
    if (settings_.decodes && !device.is_cpu()) meet_first_shapes();
    while (std::optional<DenoisedWork> work = denoised_.pop()) {
      work->done.wait_in_queue(device);
      if (!device.is_cpu()) work->block.latents.record_stream(stream_of(device));
      DeviceTimer timer(device);
      timer.start();
      DeliveredBlock block{.index = work->block.index, .latents = on_host(work->block.latents[0].to(at::kFloat))};
      if (settings_.decodes) block.pictures = on_host(as_bytes(decoder_.next(work->block.latents)[0]));
      timer.stop();
      if (work->state) block.snapshot = {std::move(*work->state), on_host(decoder_.state())};
      Mark done = Mark::here(device);
      if (!decoded_.push({std::move(block), std::move(work->timer), std::move(timer), std::move(done)})) return;
    }
  }

  void deliver_all() {
    SteadyClock::time_point last = began_;
    while (std::optional<DecodedWork> work = decoded_.pop()) {
      work->done.wait();
      BlockTimes times{
          .pictures = latents_.pictures_after(work->block.index + 1) - latents_.pictures_after(work->block.index),
          .denoise = work->denoise.milliseconds(),
          .decode = work->decode.milliseconds()};
      const SteadyClock::time_point begin = SteadyClock::now();
      check_finite(work->block.latents, fmt::format("block {}", work->block.index + 1));
      deliver_(work->block);
      times.deliver = milliseconds_since(begin);
      times.since_last = milliseconds_since(last);
      last = SteadyClock::now();
      meter_.add(times);
    }
  }

  SceneStream& latents_;
  DecoderStream& decoder_;
  const StreamRunSettings& settings_;
  const std::function<void(const DeliveredBlock&)>& deliver_;
  SpeedMeter& meter_;
  SteadyClock::time_point began_;
  BoundedQueue<DenoisedWork> denoised_{kAhead};
  BoundedQueue<DecodedWork> decoded_{kAhead};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void check_finite(const at::Tensor& latents, const std::string& what) {
  SGF_CHECK(at::isfinite(latents).all().item<bool>(),
            "{} has latents that are not finite: the weights are damaged or their training diverged; use an earlier "
            "checkpoint, or try --dtype float32",
            what);
}

StreamSpeed run_stream(SceneStream& latents, DecoderStream& decoder, const StreamRunSettings& settings,
                       const std::function<void(const DeliveredBlock&)>& deliver) {
  SGF_CHECK(settings.blocks >= 1, "blocks must be at least 1, got {}", settings.blocks);
  const LatentStreamSettings& s = latents.settings().latents;
  const int64_t window = s.policy.sink_frames + s.policy.fifo_frames;
  SpeedMeter meter(1 + (window + s.block_frames - 1) / s.block_frames);
  Pipeline(latents, decoder, settings, deliver, meter).run();
  StreamSpeed speed{.sink = s.policy.sink_frames, .fifo = s.policy.fifo_frames, .block = s.block_frames};
  meter.fill(speed);
  return speed;
}

}  // namespace sgf
