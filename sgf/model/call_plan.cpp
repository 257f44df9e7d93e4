#include "sgf/model/call_plan.h"

#include "sgf/context/read_through.h"
#include "sgf/context/reading_window.h"
#include "sgf/core/error.h"

#include <ATen/ATen.h>

#include <numeric>

namespace sgf {
namespace {

std::vector<int64_t> counting(int64_t n) {
  std::vector<int64_t> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), int64_t{0});
  return out;
}

void set_rope(CallPlan& plan, const CallInput& in, const std::vector<int64_t>& positions) {
  plan.query_rope = plan.key_rope = plan.last_query_rope = in.ropes.of(positions, in.grid, in.head_width, in.like);
}

void fill(CallPlan& plan, const CallInput& in, const Bidirectional&) {
  const int64_t tokens = in.frames * in.grid.tokens_per_frame();
  plan.region = plan.last_region = AttentionRegion::dense(tokens, tokens);
  set_rope(plan, in, counting(in.frames));
}

void check_layout(const BlockLayout& layout, const CallInput& in) {
  SGF_CHECK(layout.frames() == in.frames, "the block layout has {} frames, but the latents have {}", layout.frames(),
            in.frames);
}

void fill(CallPlan& plan, const CallInput& in, const BlockCausal& mode) {
  check_layout(mode.layout, in);
  plan.region = plan.last_region = block_causal_region(mode.policy, mode.layout, in.grid);
  set_rope(plan, in, counting(in.frames));
}

void fill(CallPlan& plan, const CallInput& in, const Serial& mode) {
  SGF_CHECK(mode.block.frames() == in.frames, "a serial call needs the {} frames of block [{}, {}), got {}",
            mode.block.frames(), mode.block.begin, mode.block.end, in.frames);
  const ContextPolicy& policy = mode.cache.policy();
  const std::vector<int64_t> seen = mode.positions.positions(policy, mode.block);
  const int64_t per_frame = in.grid.tokens_per_frame();
  plan.region = plan.last_region =
      AttentionRegion::dense(in.frames * per_frame, static_cast<int64_t>(seen.size()) * per_frame);
  plan.key_rope = in.ropes.of(seen, in.grid, in.head_width, in.like);
  plan.query_rope = plan.last_query_rope = {plan.key_rope.cos.slice(0, -in.frames * per_frame),
                                            plan.key_rope.sin.slice(0, -in.frames * per_frame)};
}

void fill(CallPlan& plan, const CallInput& in, const Parallel& mode) {
  check_layout(mode.mask.layout(), in);
  plan.context_frames = mode.mask.context_frames();
  SGF_CHECK(mode.context.dim() == 5 && mode.context.size(1) >= plan.context_frames,
            "Pass 2 needs {} context frames, got latents of {}", plan.context_frames,
            mode.context.dim() == 5 ? mode.context.size(1) : 0);
  plan.frames = plan.context_frames + in.frames;
  plan.region = mode.mask.region(in.grid);
  plan.last_region = mode.mask.noisy_region(in.grid);
  // Both copies of a frame have the same position.
  std::vector<int64_t> positions = counting(plan.context_frames);
  for (const int64_t frame : counting(in.frames)) positions.push_back(frame);
  set_rope(plan, in, positions);
  plan.last_query_rope = {plan.query_rope.cos.slice(0, plan.context_tokens()),
                          plan.query_rope.sin.slice(0, plan.context_tokens())};
}

at::Tensor through_boundary(const at::Tensor& all, int64_t context_tokens, GradientBoundary boundary) {
  if (context_tokens == 0) return all;
  return at::cat({read_through(all.slice(1, 0, context_tokens), boundary), all.slice(1, context_tokens)}, 1);
}

struct VisibleKeysValues {
  const CallPlan& plan;
  int64_t layer;
  const KeysValues& own;

  KeysValues operator()(const Bidirectional&) const { return rotated(own); }
  KeysValues operator()(const BlockCausal&) const { return rotated(own); }
  KeysValues operator()(const Serial& mode) const {
    return mode.cache.read(layer, {mode.block, mode.positions}, own, plan.key_rope);
  }
  KeysValues operator()(const Parallel& mode) const {
    if (mode.boundary == GradientBoundary::kOpenContext)
      return rotated(own);  // an open boundary changes nothing, so avoid the copy
    return rotated({through_boundary(own.keys, plan.context_tokens(), mode.boundary),
                    through_boundary(own.values, plan.context_tokens(), mode.boundary)});
  }

  KeysValues rotated(const KeysValues& seen) const { return {rotate(seen.keys, plan.key_rope), seen.values}; }
};

}  // namespace

CallPlan plan_call(const AttentionContext& context, const CallInput& input, AttentionBackend backend,
                   SerialCall serial_call) {
  CallPlan plan{.context = context, .backend = backend, .serial_call = serial_call};
  plan.frames = input.frames;
  plan.tokens_per_frame = input.grid.tokens_per_frame();
  std::visit([&](const auto& mode) { fill(plan, input, mode); }, context);
  return plan;
}

KeysValues visible_keys_values(const CallPlan& plan, int64_t layer, const KeysValues& own) {
  return std::visit(VisibleKeysValues{plan, layer, own}, plan.context);
}

}  // namespace sgf
