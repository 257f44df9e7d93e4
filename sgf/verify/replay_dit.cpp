// Replays of the DiT's modes.
#include "sgf/context/kv_cache.h"
#include "sgf/core/file_error.h"
#include "sgf/model/rope_table.h"
#include "sgf/verify/replay_inputs.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

struct SerialCase {
  BlockLayout layout;
  ContextPolicy policy;
};

// `total_window_frames` counts sink, FIFO and the block; -1 is all history.
SerialCase serial_case(const Recording& recording, int64_t frames) {
  const int64_t block = recording.integer("frames_per_block"), total = recording.integer("total_window_frames");
  if (total < 0) return {BlockLayout(frames, block), ContextPolicy::everything()};
  const int64_t sink = recording.integer("sink_frames");
  SGF_CHECK_FILE(sink >= 0 && block > 0 && total - block >= sink, recording.path(),
                 "a window of {} frames is too small for a sink of {} and a block of {}", total, sink, block);
  return {BlockLayout(frames, block), {.sink_frames = sink, .fifo_frames = total - sink - block}};
}

// The cache in the format of recordings: keys rotated at their absolute positions, in order of time.
void add_cache(NamedTensors& out, const KvCache& cache, int64_t layer, const PatchGrid& grid) {
  const KeysValues held = cache.held(layer);
  const RopeTable rope = rope_table(cache.held_frames(layer), grid, held.keys.size(3), held.keys);
  out.emplace_back("out.cache_k." + std::to_string(layer), rotate(held.keys, rope));
  out.emplace_back("out.cache_v." + std::to_string(layer), held.values);
}

PositionRule recorded_positions(const Recording& recording) {
  const std::string name = recording.text("positions");
  const std::optional<PositionKind> kind = enum_from_name<PositionKind>(name);
  SGF_CHECK_FILE(kind.has_value(), recording.path(), "positions must be one of {}, got '{}'",
                 all_enum_names<PositionKind>(), name);
  return {.kind = *kind, .train_frames = recording.integer("train_frames")};
}

// Block by block: predicts from the noisy latents, then writes the clean ones to the cache.
at::Tensor serial_flow(const Recording& recording, const ReplayOptions& options, const CausalDit& dit,
                       const BlockLayout& layout, KvCache& cache, const PositionRule& positions) {
  const at::Tensor noisy = latents(recording, "noisy", options), clean = latents(recording, "clean", options, noisy);
  const PromptText prompt = dit.prepare(text_rows(recording, options));
  std::vector<at::Tensor> flows;
  for (int64_t i = 0; i < layout.count(); ++i) {
    const FrameSpan block = layout.block(i);
    const Serial context{cache, block, positions};
    const at::Tensor x = noisy.slice(1, block.begin, block.end);
    flows.push_back(dit.forward(x, every_frame(x, recording.number("t_noisy")), prompt, context));
    dit.write(clean.slice(1, block.begin, block.end), prompt, context, recording.number("t_context"));
  }
  return at::cat(flows, 1);
}

NamedTensors replay_parallel(const Recording& recording, const ReplayOptions& options, const ContextPolicy& policy,
                             GradientBoundary boundary) {
  const CausalDit dit = load_dit(recording, options);
  set_requires_grad(dit.weights(), true);
  const at::Tensor noisy = latents(recording, "noisy", options);
  const ReconstructionMask mask(policy, BlockLayout(noisy.size(1), recording.integer("frames_per_block")));
  const at::Tensor flow =
      dit.forward(noisy, every_frame(noisy, recording.number("t_noisy")), dit.embed(text_rows(recording, options)),
                  Parallel{latents(recording, "clean", options, noisy), mask, boundary, recording.number("t_context")});
  NamedTensors out{{"out.flow", frames_first(flow.detach())}};
  if (recording.has_input("grad_out"))
    add_gradients(out, "grad.", dit, flow, latents(recording, "grad_out", options, flow));
  return out;
}

}  // namespace

NamedTensors replay_dit_bidirectional(const Recording& recording, const ReplayOptions& options) {
  const CausalDit dit = load_dit(recording, options);
  const at::NoGradGuard no_grad;
  const at::Tensor x = latents(recording, "x", options);
  const at::Tensor t = timestep_per_sample(recording, x, options).unsqueeze(1).expand({x.size(0), x.size(1)});
  return {{"out.flow", frames_first(dit.forward(x, t, dit.embed(text_rows(recording, options)), Bidirectional{}))}};
}

NamedTensors replay_dit_serial(const Recording& recording, const ReplayOptions& options) {
  const CausalDit dit = load_dit(recording, options);
  const at::NoGradGuard no_grad;
  const at::Tensor noisy = latents(recording, "noisy", options);
  const SerialCase serial = serial_case(recording, noisy.size(1));
  KvCache cache(serial.policy, dit.cache_shape(noisy, serial.layout.largest_block(), noisy.size(1)),
                weight_options(options));
  NamedTensors out{{"out.flow", frames_first(serial_flow(recording, options, dit, serial.layout, cache, {}))}};
  const PatchGrid grid(noisy.size(3), noisy.size(4), dit.config().patch_size[1], dit.config().patch_size[2]);
  for (int64_t layer = 0; layer < dit.config().num_layers; ++layer) add_cache(out, cache, layer, grid);
  return out;
}

NamedTensors replay_dit_stream(const Recording& recording, const ReplayOptions& options) {
  const CausalDit dit = load_dit(recording, options);
  const at::NoGradGuard no_grad;
  const at::Tensor noisy = latents(recording, "noisy", options);
  const BlockLayout layout(noisy.size(1), recording.integer("frames_per_block"));
  KvCache cache(recorded_policy(recording), dit.cache_shape(noisy, layout.largest_block(), /*max_frames=*/0),
                weight_options(options));
  return {
      {"out.flow", frames_first(serial_flow(recording, options, dit, layout, cache, recorded_positions(recording)))}};
}

NamedTensors replay_dit_parallel(const Recording& recording, const ReplayOptions& options) {
  return replay_parallel(recording, options, ContextPolicy::everything(), GradientBoundary::kOpenContext);
}

NamedTensors replay_dit_pass2(const Recording& recording, const ReplayOptions& options) {
  const std::string boundary = recording.text("boundary");
  SGF_CHECK_FILE(boundary == "open" || boundary == "frozen", recording.path(),
                 "boundary must be 'open' or 'frozen', got '{}'", boundary);
  return replay_parallel(recording, options, recorded_policy(recording),
                         boundary == "open" ? GradientBoundary::kOpenContext : GradientBoundary::kFrozenContext);
}

}  // namespace sgf
