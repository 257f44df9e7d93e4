#include "sgf/training/make_pairs.h"

#include "sgf/assembly/config_parts.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/assembly/start_file.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/stop_signal.h"
#include "sgf/dataset/clip_manifest.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/sha256.h"
#include "sgf/files/weight_identity.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/rollout/solver_walk.h"
#include "sgf/training/build_stage.h"
#include "sgf/training/stage_parts.h"
#include "sgf/weights/wan_folder.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace sgf {
namespace {

namespace fs = std::filesystem;

void check_pair_request(const PairRequest& r) {
  const StageChoice stage = r.config.train.stage;
  SGF_CHECK(stage == StageChoice::kCausalOde || stage == StageChoice::kBidirectionalOde,
            "sgf pairs needs train.stage causal_ode or bidirectional_ode, got {}", enum_name(stage));
  SGF_CHECK(stage == StageChoice::kBidirectionalOde || r.config.data.prompts.empty(),
            "paths of causal_ode use clips with their captions: leave data.prompts empty, got {}",
            r.config.data.prompts);
  SGF_CHECK(!r.out.empty(), "the pairs need a folder: give --out, or set data.pairs");
  SGF_CHECK(r.count >= 1 && r.per_shard >= 1,
            "the number of pairs and of pairs per shard must be at least 1, got {} and {}", r.count, r.per_shard);
  SGF_CHECK(r.workers >= 1 && r.worker >= 0 && r.worker < r.workers,
            "worker {} of {} does not exist: workers are numbered from 0", r.worker, r.workers);
}

std::string data_name(const Config& c) {
  if (!c.data.clips.empty()) return "clips " + clip_identity(read_clip_manifest(c.data.clips));
  if (c.data.prompts.empty()) return c.data.world;
  const std::string reader =
      c.data.world.empty() ? weight_identity(open_tensor_file(WanFolder(c.data.wan).text_encoder())) : c.data.world;
  return fmt::format("prompts {} read by {}", sha256_of_file(c.data.prompts), reader);
}

PairOrder order_of(const PairRequest& r) {
  const Config& c = r.config;
  return {.stage = std::string(enum_name(c.train.stage)),
          .teacher = weight_identity(open_tensor_file(find_start_file(r.teacher).path)),
          .data = data_name(c),
          .negative_prompt = c.negative_prompt,
          .dtype = std::string(enum_name(c.run.dtype)),
          .seed = static_cast<uint64_t>(c.run.seed),
          .guidance = r.guidance,
          .steps = r.steps,
          .shift = c.schedule.shift,
          .timesteps = c.schedule.timesteps(),
          .latent = {c.video.frames, c.model.in_dim, c.video.height, c.video.width},
          .context = pair_context(c),
          .count = r.count,
          .per_shard = r.per_shard};
}

// A teacher's paths, by the number of the pair.
class PathMaker {
 public:
  PathMaker(const PairRequest& request, const PairOrder& order, c10::Device device)
      : config_(request.config),
        device_(device),
        around_(build_conditioning(config_, device)),
        teacher_(build_teacher(config_, request.teacher, device)),
        mask_(config_.context.policy(), layout_of(config_)),
        grid_(euler_grid(order.steps, order.shift)),
        kept_(steps_at(grid_, order.timesteps)),
        guidance_(order.guidance),
        is_causal_(config_.train.stage == StageChoice::kCausalOde),
        clips_(is_causal_ ? clip_source(config_) : nullptr),
        prompts_(is_causal_ ? nullptr : prompt_source(config_, around_)) {}

  struct Paths {
    OdePath path;
    at::Tensor data;  // undefined if only the prompt is used
    std::vector<std::string> captions;
  };

  Paths make(int64_t first, int64_t count) const {
    const at::NoGradGuard no_grad;
    const ClipBatch batch = is_causal_ ? clips_->clips(first, count, config_.video.frames, device_)
                                       : ClipBatch{{}, prompts_->prompts(first, count)};
    const NoiseKey key{
        .seed = static_cast<uint64_t>(config_.run.seed), .purpose = NoisePurpose::kInitial, .sample = first};
    const at::Tensor noise = normal_per_sample(
        key, {count, config_.video.frames, config_.model.in_dim, config_.video.height, config_.video.width},
        latent_options(teacher_));
    const at::Tensor data = is_causal_ ? batch.latents.to(noise.scalar_type()) : at::Tensor();
    const at::Tensor cond = around_.text->encode(batch.captions).to(noise.options());
    const at::Tensor uncond = around_.text->encode({config_.negative_prompt}).to(noise.options()).expand(cond.sizes());
    const FlowOf flow = guided_flow(flow_with(cond, data), flow_with(uncond, data), guidance_);
    return {trace_path(grid_, kept_, noise, flow), data, batch.captions};
  }

 private:
  FlowOf flow_with(const at::Tensor& rows, const at::Tensor& data) const {
    return [this, data, prompt = teacher_.prepare(rows)](const at::Tensor& x, const at::Tensor& t) {
      if (!is_causal_) return teacher_.forward(x, t, prompt, Bidirectional{});
      return teacher_.forward(x, t, prompt, Parallel{data, mask_, GradientBoundary::kFrozenContext});
    };
  }

  const Config& config_;
  c10::Device device_;
  Conditioning around_;
  CausalDit teacher_;
  ReconstructionMask mask_;
  SolverGrid grid_;
  std::vector<int64_t> kept_;
  double guidance_;
  bool is_causal_;
  std::shared_ptr<const ClipSource> clips_;      // context of causal_ode paths
  std::shared_ptr<const PromptSource> prompts_;  // prompts of the other paths
};

// Collects pairs computed in forwards of micro_batch pairs.
class ShardWriter {
 public:
  void add(const PathMaker::Paths& paths) {
    const auto kept = [](const at::Tensor& t) { return t.to(at::kCPU, at::kFloat).contiguous(); };
    states_.push_back(kept(paths.path.states));
    ends_.push_back(kept(paths.path.end));
    if (paths.data.defined()) clips_.push_back(kept(paths.data));
    captions_.insert(captions_.end(), paths.captions.begin(), paths.captions.end());
  }

  // The mark is written last: a shard without it is incomplete.
  void write(const fs::path& folder, int64_t shard, int64_t first) const {
    const fs::path path = shard_file(folder, shard);
    NamedTensors tensors{{"states", at::cat(states_)}, {"end", at::cat(ends_)}};
    if (!clips_.empty()) tensors.emplace_back("data", at::cat(clips_));
    std::map<std::string, std::string> metadata{{"captions", nlohmann::json(captions_).dump()}};
    stamp(metadata, "ode pairs");
    save_tensors(path, tensors, metadata);
    write_json_file(shard_mark(folder, shard),
                    to_json(PairShard{path.filename().string(), first, static_cast<int64_t>(captions_.size()),
                                      fs::file_size(path), sha256_of_file(path)}));
  }

 private:
  std::vector<at::Tensor> states_, ends_, clips_;
  std::vector<std::string> captions_;
};

bool is_whole(const fs::path& folder, int64_t shard) {
  const fs::path path = shard_file(folder, shard);
  const std::optional<PairShard> written = find_pair_shard(folder, shard);
  return written && fs::exists(path) && fs::file_size(path) == written->bytes &&
         sha256_of_file(path) == written->sha256;
}

// The last worker finds all marks. Several that finish together write the same bytes.
int64_t write_manifest(const fs::path& folder, const PairOrder& order) {
  if (const int64_t marks = whole_shards(folder); marks < order.shards()) return marks;
  nlohmann::json shards = nlohmann::json::array();
  for (int64_t i = 0; i < order.shards(); ++i)
    if (const std::optional<PairShard> shard = find_pair_shard(folder, i)) shards.push_back(to_json(*shard));
  const auto whole = static_cast<int64_t>(shards.size());
  nlohmann::json manifest = to_json(order);
  if (whole == order.shards())
    write_json_file(manifest_file(folder),
                    {{"format", manifest.at("format")}, {"order", manifest}, {"shards", shards}});
  return whole;
}

// Returns false if a signal came before the shard was complete: then nothing is written.
bool make_shard(const PairRequest& request, const PathMaker& maker, int64_t shard, const StopSignal& signal,
                ProgressLine& progress) {
  const int64_t first = shard * request.per_shard, end = first + std::min(request.per_shard, request.count - first);
  fs::remove(shard_mark(request.out, shard));
  ShardWriter writer;
  for (int64_t next = first; next < end;) {
    if (signal.received() != 0) return false;
    const int64_t count = std::min(request.config.train.micro_batch, end - next);
    writer.add(maker.make(next, count));
    next += count;
    progress.show({.step = next});
  }
  writer.write(request.out, shard, first);
  return true;
}

// 12 for "shard_000012.safetensors".
std::optional<int64_t> shard_number(const std::string& name) {
  constexpr std::string_view kBegin = "shard_";
  int64_t shard = 0;
  if (!name.starts_with(kBegin)) return {};
  const auto [end, error] = std::from_chars(name.data() + kBegin.size(), name.data() + name.size(), shard);
  const bool is_one = error == std::errc() && shard >= 0 && name == shard_file("", shard).string();
  return is_one ? std::optional(shard) : std::nullopt;
}

// Removes temporary files that a kill left, since they can be as large as complete shards. Temporary files of other
// workers stay: they may be in use on another host, where locks are not always visible.
void sweep_pair_folder(const PairRequest& request) {
  sweep_half_written(request.out, [&](const std::string& name) {
    const std::optional<int64_t> shard = shard_number(name);
    return !shard || *shard % request.workers == request.worker;
  });
}

// The settings of the later run that are needed to make the pairs.
PairRequest with_places(PairRequest request) {
  request.config.data.pairs = request.out.string();
  if (request.config.train.start_from.empty()) request.config.train.start_from = request.teacher;
  return request;
}

}  // namespace

PairResult make_pairs(const PairRequest& given) {
  check_pair_request(given);
  check_stage_of("--teacher", given.teacher, stage_of_teacher(given.config.train.stage));
  const PairRequest request = with_places(given);
  const PairOrder order = order_of(request);
  check_pair_order(order, "--count");
  const c10::Device device = device_of(request.config.run.device);
  if (request.config.run.threads > 0) at::set_num_threads(static_cast<int>(request.config.run.threads));
  const PathMaker maker(request, order, device);
  claim_pair_folder(request.out, order);
  sweep_pair_folder(request);
  const StopSignal signal;
  ProgressLine progress({.mode = request.progress, .total_steps = order.count, .unit = "pair"}, request.output);
  PairResult result{.shards = order.shards()};
  for (int64_t shard = request.worker; shard < order.shards() && !result.was_stopped; shard += request.workers) {
    if (is_whole(request.out, shard)) continue;
    result.was_stopped = !make_shard(request, maker, shard, signal, progress);
    result.made += result.was_stopped ? 0 : 1;
  }
  progress.finish();
  result.whole = write_manifest(request.out, order);
  return result;
}

}  // namespace sgf
