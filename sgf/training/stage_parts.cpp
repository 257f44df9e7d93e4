#include "sgf/training/stage_parts.h"

#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/noise.h"
#include "sgf/dataset/clip_shards.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/training/sample_number.h"
#include "sgf/world/source.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

// Prompts by number: from a file, each once per epoch, or the world's captions.
class FilePrompts final : public PromptSource {
 public:
  FilePrompts(std::vector<std::string> prompts, uint64_t seed)
      : prompts_(std::move(prompts)), order_(static_cast<int64_t>(prompts_.size()), seed) {}

  std::vector<std::string> prompts(int64_t first, int64_t count) const override {
    std::vector<std::string> out;
    for (int64_t i = 0; i < count; ++i) out.push_back(prompts_[static_cast<size_t>(order_.at(first + i))]);
    return out;
  }

 private:
  std::vector<std::string> prompts_;
  PromptOrder order_;
};

}  // namespace

TrainedDit trained_dit(const Config& c, const std::string& source, c10::Device device, WeightPurpose purpose) {
  const auto options = at::TensorOptions().device(device).dtype(master_type(c));
  return TrainedDit(c.model, weights_of(c, source, options, {.purpose = purpose}), compute_type(c), dit_options_of(c));
}

std::shared_ptr<const ClipSource> clip_source(const Config& c) {
  const auto seed = static_cast<uint64_t>(c.run.seed);
  if (c.data.clips.empty()) return std::make_shared<WorldSource>(world_preset(c.data.world), seed);
  return std::make_shared<ClipShards>(c.data.clips, seed);
}

ClipBatches clip_batches(const Config& c, const Conditioning& conditioning, c10::Device device, double dropout) {
  const auto seed = static_cast<uint64_t>(c.run.seed);
  const std::shared_ptr<const ClipSource> source = clip_source(c);
  const at::ScalarType type = master_type(c);
  return [=, text = conditioning.text, global = c.train.global_batch, frames = c.video.frames](
             int64_t step, int64_t first, int64_t count) {
    ClipBatch batch = source->clips(step * global + first, count, frames, device);
    for (int64_t i = 0; i < count; ++i) {
      const NoiseKey key{.seed = seed, .purpose = NoisePurpose::kDropout, .sample = sample_number(step, first + i)};
      if (uniform_double(key) < dropout) batch.captions[static_cast<size_t>(i)].clear();
    }
    return TextClips{batch.latents.to(type), text->encode(batch.captions).to(device, type)};
  };
}

std::shared_ptr<const PromptSource> prompt_source(const Config& c, const Conditioning& conditioning) {
  const auto seed = static_cast<uint64_t>(c.run.seed);
  if (c.data.prompts.empty()) return std::make_shared<WorldSource>(world_preset(c.data.world), seed);
  std::vector<std::string> prompts = read_prompts(c.data.prompts);
  if (!c.data.world.empty())
    check_words(*conditioning.text, prompts, c.data.prompts);  // Wan's encoder accepts any word
  return std::make_shared<FilePrompts>(std::move(prompts), seed);
}

}  // namespace sgf
