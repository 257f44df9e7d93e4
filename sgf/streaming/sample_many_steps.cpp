#include "sgf/streaming/sample_many_steps.h"

#include "sgf/assembly/config_parts.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/error.h"
#include "sgf/rollout/few_step_samples.h"
#include "sgf/rollout/sample_video.h"
#include "sgf/streaming/run_stream.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace sgf {
namespace {

at::Tensor sample_latents(const SampleRequest& r, const CausalDit& dit, const GuidedText& text, int64_t first) {
  const Config& c = r.config;
  const BlockNoise noise = sample_noise(static_cast<uint64_t>(c.run.seed), text.cond.size(0),
                                        {c.model.in_dim, c.video.height, c.video.width}, latent_options(dit), first);
  if (r.mode == SampleMode::kAtOnce) return sample_bidirectional(dit, text, r.sampler, noise({0, c.video.frames}, 0));
  return sample_blocks(dit, text, r.sampler, c.context.policy(), layout_of(c), noise);
}

}  // namespace

SampleMode sample_mode_of(const Config& c) {
  switch (c.train.stage) {
    case StageChoice::kFlowMatching:
      return SampleMode::kAtOnce;
    case StageChoice::kTeacherForcing:
      return SampleMode::kBlocks;
    case StageChoice::kDmd:
    case StageChoice::kCausalOde:
    case StageChoice::kBidirectionalOde:
    case StageChoice::kCausalCd:
      break;
  }
  fail(
      "sgf sample needs a many-step model, got one of the stage {}; use sgf generate for few-step students, or set "
      "--mode "
      "at-once for a bidirectional model or --mode blocks for a teacher-forced one",
      enum_name(c.train.stage));
}

void sample_many_steps(const SampleRequest& r, const StreamParts& parts, const VideoSeen& seen) {
  const at::NoGradGuard no_grad;
  std::vector<std::string> texts = r.prompts;  // in one call: a large encoder is loaded once
  texts.push_back(r.negative);
  const at::Tensor rows = parts.text->encode(texts).to(parts.device, compute_type(r.config));
  const auto prompts = static_cast<int64_t>(r.prompts.size());
  for (int64_t first = 0; first < prompts; first += r.batch) {
    const at::Tensor cond = rows.slice(0, first, std::min(first + r.batch, prompts));
    const GuidedText text{cond, rows.slice(0, prompts).expand(cond.sizes())};
    const at::Tensor latents = sample_latents(r, *parts.dit, text, first);
    for (int64_t i = 0; i < latents.size(0); ++i) check_finite(latents[i], fmt::format("video {}", first + i + 1));
    for (int64_t i = 0; i < latents.size(0); ++i)
      seen(first + i, parts.codec->decode(latents.slice(0, i, i + 1))[0].clamp(0, 1));
  }
}

}  // namespace sgf
