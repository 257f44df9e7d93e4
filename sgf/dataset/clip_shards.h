// Encoded videos as a source of clips: every clip once an epoch, in an order of the seed's, whoever asks.
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

// Shards are mapped while they are read, so that memory does not grow with their number. The order within an epoch
// depends on seed and epoch alone: a clip's place in the run is all that a resumed run, or another number of ranks,
// has to know.
class ClipShards final : public ClipSource {
 public:
  // Of a whole folder, as `sgf data encode` leaves it.
  ClipShards(std::filesystem::path folder, uint64_t seed);

  const ClipShardOrder& order() const { return manifest_.order; }
  int64_t count() const { return ends_.back(); }

  // Those at places `first` to `first + count - 1` of an endless run through all epochs: the first `frames` latents of
  // each.
  ClipBatch clips(int64_t first, int64_t count, int64_t frames, c10::Device device) const override;

  // At most so many captions, of the first videos.
  std::vector<std::string> first_captions(int64_t most) const;

  // [tokens, text_dim] of a caption, of the empty or of the negative prompt; nothing for any other.
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
  std::vector<int64_t> ends_;                       // clips of all videos up to this one
  std::map<std::string, size_t> first_of_caption_;  // a video that has it
  PromptOrder epochs_;
  mutable std::set<std::string> checked_;  // videos whose shard was held against its hash
};

}  // namespace sgf
