#include "sgf/bench/bench_items.h"
#include "sgf/schedule/schedule_settings.h"

#include "sgf/core/device_memory.h"
#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/kernels/wide.h"
#include "sgf/streaming/run_stream.h"
#include "sgf/vae/wan_vae_codec.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <fstream>

namespace sgf {
namespace {

constexpr int64_t kParts = 8;

double in_gib(int64_t bytes) { return static_cast<double>(bytes) / (int64_t{1} << 30); }

int64_t resident_now() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

// Memory and speed over the parts of the stream.
class OverTime {
 public:
  OverTime(c10::Device device, int64_t blocks)
      : device_(device), blocks_(blocks), began_(std::chrono::steady_clock::now()) {
    reset_peak_memory(device_);
  }

  void block_done(int64_t done) {
    if (done * kParts / blocks_ == (done - 1) * kParts / blocks_ && done != blocks_) return;
    const auto now = std::chrono::steady_clock::now();
    nlohmann::json part{{"blocks", done},
                        {"ms_per_block", std::chrono::duration<double, std::milli>(now - began_).count() /
                                             static_cast<double>(std::max<int64_t>(done - done_before_, 1))},
                        {"host_mib", static_cast<double>(resident_now()) / (1 << 20)}};
    if (!device_.is_cpu()) {
      part["device_peak_gib"] = in_gib(peak_memory_bytes(device_));
      reset_peak_memory(device_);
    }
    parts_.push_back(std::move(part));
    done_before_ = done;
    began_ = now;
  }

  const nlohmann::json& parts() const { return parts_; }

 private:
  c10::Device device_;
  int64_t blocks_;
  int64_t done_before_ = 0;
  std::chrono::steady_clock::time_point began_;
  nlohmann::json parts_ = nlohmann::json::array();
};

StreamSettings stream_settings(const PassesSettings& s) {
  const int64_t window = s.policy.sink_frames + s.policy.fifo_frames + s.block_frames;
  return {.latents = {.policy = s.policy,
                      .positions = {PositionKind::kTopAligned, window},
                      .block_frames = s.block_frames,
                      .first_block_frames = s.block_frames,
                      .timesteps = ScheduleSettings().timesteps(),
                      .latent = {s.model.in_dim, s.height, s.width},
                      .record_launches = s.record_launches},
          .seed = 1};
}

WanVaeCodec random_codec(const PassesSettings& s, bool decodes) {
  const VaeConfig config{.dim = decodes ? s.vae_dim : 8, .z_dim = s.model.in_dim};
  return WanVaeCodec(random_vae_weights(config, /*seed=*/1, at::TensorOptions().dtype(s.dtype).device(s.device)));
}

}  // namespace

bool is_stream_item(const std::string& item) { return item == "stream" || item == "stream-dit"; }

void bench_stream(const PassesSettings& s, const std::string& item, const BenchLine& line) {
  const at::NoGradGuard no_grad;
  const bool decodes = item == "stream";
  const auto options = at::TensorOptions().dtype(s.dtype).device(s.device);
  DitWeights weights = random_dit_weights(s.model, /*seed=*/1, options);
  join_projections(weights);
  const CausalDit dit(s.model, std::move(weights), {.attention = s.attention});
  const WanVaeCodec codec = random_codec(s, decodes);
  const at::Tensor text =
      normal({.seed = 2, .purpose = NoisePurpose::kTest}, {1, s.model.text_len, s.model.text_dim}, options);
  StreamSession session(dit, codec, stream_settings(s), {{{0, "noise"}, {text, {}}}});
  const int64_t blocks = (s.frames + s.block_frames - 1) / s.block_frames;
  synchronize(s.device);
  OverTime over_time(s.device, blocks);
  StreamSpeed speed = run_stream(session.latents(), session.decoder(), {.blocks = blocks, .decodes = decodes},
                                 [&](const DeliveredBlock& block) { over_time.block_done(block.index + 1); });
  speed.device = s.device.str();
  speed.host_gib = in_gib(peak_memory_bytes(c10::Device("cpu")));
  nlohmann::json out{{"item", item},
                     {"model", s.model_name},
                     {"dtype", name_of(s.dtype)},
                     {"latent", {s.model.in_dim, s.height, s.width}},
                     {"cache_gib", in_gib(session.latents().cache_bytes())},
                     {"over_time", over_time.parts()}};
  out.update(to_json(speed));
  out["video_frames"] = out["frames"];
  out["frames"] = s.frames;  // latent frames, as in every line of a bench
  line(out);
}

}  // namespace sgf
