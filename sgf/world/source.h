// The world as a source of clips and prompts.
#pragma once

#include "sgf/dataset/clip_source.h"
#include "sgf/world/codec.h"
#include "sgf/world/preset.h"

namespace sgf {

class WorldSource final : public ClipSource, public PromptSource {
 public:
  WorldSource(const WorldPreset& preset, uint64_t seed) : preset_(preset), codec_(preset), seed_(seed) {}

  ClipBatch clips(int64_t first, int64_t count, int64_t frames, c10::Device device) const override;
  std::vector<std::string> prompts(int64_t first, int64_t count) const override;

 private:
  WorldPreset preset_;
  WorldCodec codec_;
  uint64_t seed_;
};

}  // namespace sgf
