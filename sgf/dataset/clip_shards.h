// Encoded videos as a source of clips: every clip once per epoch, in an order that depends only on the seed.
#pragma once

#include "sgf/dataset/clip_manifest.h"
#include "sgf/dataset/clip_source.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/tensor_file.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sgf {

// Shards are mapped only while they are read, so memory does not grow with their number. The order within an epoch
// depends only on seed and epoch, so a resumed run, or one with another number of ranks, needs only the position in the
// run.
class ClipShards final : public ClipSource {
 public:
  // Opens a complete folder, as `sgf data encode` leaves it.
  ClipShards(std::filesystem::path folder, uint64_t seed);

  const ClipShardOrder& order() const { return manifest_.order; }
  int64_t count() const { return ends_.back(); }

  // Clips `first` to `first + count - 1` of an endless sequence over all epochs; the first `frames` latent frames of
  // each.
  ClipBatch clips(int64_t first, int64_t count, int64_t frames, c10::Device device) const override;

  // At most this many captions, from the first videos.
  std::vector<std::string> first_captions(int64_t most) const;

  // [tokens, text_dim] for a caption, the empty or the negative prompt; nullopt for any other prompt.
  std::optional<at::Tensor> text_rows(const std::string& prompt) const;

 private:
  struct Place {
    const ClipVideo* video;
    int64_t row;
  };
  Place place_of(int64_t clip) const;
  TensorFile open_shard(const ClipVideo& video) const;

  std::filesystem::path folder_;
  ClipManifest manifest_;                           // without the videos that were left out
  std::vector<int64_t> ends_;                       // cumulative clip counts
  std::map<std::string, size_t> first_of_caption_;  // a video with this caption
  PromptOrder epochs_;
  mutable std::set<std::string> checked_;  // videos whose shard hash has been checked
};

}  // namespace sgf
