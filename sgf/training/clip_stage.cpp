#include "sgf/training/clip_stage.h"

#include "sgf/kernels/noise_fill.h"
#include "sgf/training/sample_number.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {

ClipStage::ClipStage(ClipStageSettings settings, TrainedDit network, ClipBatches clips, const Ranks& ranks)
    : settings_(std::move(settings)),
      schedule_(settings_.shift),
      mask_(settings_.policy, settings_.layout),
      generator_("generator", settings_.generator, std::move(network)),
      clips_(std::move(clips)),
      ranks_(&ranks),
      ema_(settings_.ema_decay, settings_.ema_start_step, generator_.masters()) {
  settings_.batch.validate(ranks);
}

StepReport ClipStage::step(int64_t step) {
  StepReport report;
  UpdateSum sum;
  for (const MicroBatch& part : settings_.batch.parts(*ranks_)) {
    ranks_->check_alive();
    const at::Tensor one = loss(step, part);
    sum.add(generator_.gradients(one), part.share);
    sum.add("generator_loss", one.item<double>(), part.share);
  }
  sum.combine(*ranks_);
  report.metrics = sum.means();
  if (generator_.update(sum.gradients(), report.metrics["generator_loss"], step, report)) ema_.update(step);
  return report;
}

at::Tensor ClipStage::loss(int64_t step, const MicroBatch& part) const {
  const TextClips batch = clips_(step, part.first, part.count);
  const int64_t sample = sample_number(step, part.first);
  const NoiseKey noise{.seed = settings_.seed, .purpose = NoisePurpose::kClipNoise, .sample = sample};
  const NoisedClips clips{batch.latents, normal_per_sample(noise, batch.latents.sizes(), batch.latents.options()),
                          draw_timesteps(sample, part.count).to(batch.latents.device()), batch.text};
  const CausalDit& network = generator_.network();
  return settings_.objective == ClipObjective::kFlowMatching ? bidirectional_loss(network, clips, schedule_)
                                                             : teacher_forcing_loss(network, clips, mask_, schedule_);
}

// [count, F] of the table's timesteps, any as likely as any other.
at::Tensor ClipStage::draw_timesteps(int64_t sample, int64_t count) const {
  const BlockLayout& layout = settings_.layout;
  const bool is_per_block = settings_.objective == ClipObjective::kTeacherForcing;
  const std::vector<double>& table = schedule_.timesteps();
  at::Tensor t = at::empty({count, layout.frames()}, at::kDouble);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t block = 0; block < layout.count(); ++block) {
      const NoiseKey key{.seed = settings_.seed,
                         .purpose = NoisePurpose::kTimestep,
                         .sample = sample + i,
                         .block = is_per_block ? block : 0};
      const auto index = static_cast<size_t>(uniform_index(key, static_cast<int64_t>(table.size())));
      t[i].slice(0, layout.block(block).begin, layout.block(block).end).fill_(table[index]);
    }
  return t;
}

StageState ClipStage::state() const {
  StageState state;
  generator_.save(state);
  if (ema_.has_started()) state.networks["ema"] = ema_.average();
  return state;
}

void ClipStage::restore(const StageState& state) {
  generator_.restore(state);
  const auto average = state.networks.find("ema");
  ema_.restore(average == state.networks.end() ? NamedTensors{} : average->second);
}

at::Tensor ClipStage::sample(const at::Tensor& text, uint64_t seed) const {
  const CausalDit network = with_weights(generator_.network(), ema_.average());
  const TextClips shape = clips_(0, 0, 1);
  const GuidedText guided{text, at::zeros_like(text)};
  const BlockNoise noise = [&](FrameSpan block, int64_t draw) {
    const NoiseKey key{.seed = seed, .purpose = NoisePurpose::kSample, .block = block.begin, .step = draw};
    const at::IntArrayRef clip = shape.latents.sizes();
    return normal_per_sample(key, {text.size(0), block.frames(), clip[2], clip[3], clip[4]}, latent_options(network));
  };
  if (settings_.objective == ClipObjective::kFlowMatching)
    return sample_bidirectional(network, guided, settings_.sampler, noise({0, settings_.layout.frames()}, 0));
  return sample_blocks(network, guided, settings_.sampler, settings_.policy, settings_.layout, noise);
}

}  // namespace sgf
