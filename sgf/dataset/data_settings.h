// The settings of the data that a run learns from. Torch-free.
#pragma once

#include <string>

namespace sgf {

// Sources of clips and prompts.
struct DataSettings {
  std::string world;
  std::string wan;
  std::string prompts;
  std::string clips;
  std::string pairs;
  double caption_dropout = 0.1;

  bool operator==(const DataSettings&) const = default;
};

template <class V>
void describe(V& v, DataSettings& d) {
  v.field("world", d.world, "built-in world of the clips and captions: world-tiny or world-small");
  v.field("wan", d.wan, "Wan folder, used without a world: text encoder for prompts, VAE for samples");
  v.field("prompts", d.prompts, "file of prompts, one per line; empty = captions of the world");
  v.field("clips", d.clips, "folder of clips from sgf data encode; empty = clips of the world");
  v.field("pairs", d.pairs, "folder of ODE pairs from sgf pairs, which the ode stages train on");
  v.field("caption_dropout", d.caption_dropout,
          "share of clips trained without a caption in flow_matching and teacher_forcing, 0 to 1");
}

}  // namespace sgf
