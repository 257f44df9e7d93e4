// A folder of encoded videos: what was ordered, what became of each video, and what is ready to be learnt. Torch-free.
#pragma once

#include "sgf/dataset/shard_folder.h"
#include "sgf/dataset/video_folder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// How clips are cut out of a video.
struct ClipCut {
  int64_t frames = 81;  // pictures of a clip
  int64_t height = 480;
  int64_t width = 832;
  double fps = 16;
  int64_t stride = 0;  // pictures from the beginning of a clip to that of the next; 0: one clip a video

  bool operator==(const ClipCut&) const = default;
};

// All that the shards depend on beside the videos and their captions.
struct ClipShardOrder {
  std::string vae;           // identity of its weights
  std::string text_encoder;  // the same
  std::string dtype;         // of both
  ClipCut cut;
  std::vector<int64_t> latent;  // [F, C, h, w] of a clip
  int64_t text_len = 0;
  int64_t text_dim = 0;
  std::string negative_prompt;
};

// What became of one video. It has a shard, or a reason why not.
struct ClipVideo {
  std::string name;  // in the folder of videos
  uint64_t bytes = 0;
  int64_t changed = 0;
  std::string sha256;
  std::string caption;
  std::string problem;
  int64_t clips = 0;
  uint64_t shard_bytes = 0;
  std::string shard_sha256;

  bool is_left_out() const { return !problem.empty(); }
};

struct ClipManifest {
  ClipShardOrder order;
  std::string prompts_sha256;
  std::vector<ClipVideo> videos;  // by name; those that are left out too

  int64_t clips() const;
};

// Files of the folder, beside those of every folder of shards. A video's shard and its mark are named after the video's
// name, so that others that come or go do not move them; the mark comes last, and says that the shard is whole.
std::filesystem::path clip_shard(const std::filesystem::path& folder, const std::string& video);
std::filesystem::path clip_mark(const std::filesystem::path& folder, const std::string& video);
std::filesystem::path prompts_shard(const std::filesystem::path& folder);  // of the empty and the negative prompt

nlohmann::json to_json(const ClipShardOrder& order);
nlohmann::json to_json(const ClipVideo& video);
nlohmann::json to_json(const ClipManifest& manifest);

// Nothing where no mark is, or a damaged one.
std::optional<ClipVideo> read_clip_mark(const std::filesystem::path& folder, const std::string& video);

// Of a folder that is whole. Refuses one that is not, with what to do, and shards of another size than written.
ClipManifest read_clip_manifest(const std::filesystem::path& folder);

// A name for all that a run learns from the folder, wherever it lies.
std::string clip_identity(const ClipManifest& manifest);

}  // namespace sgf
