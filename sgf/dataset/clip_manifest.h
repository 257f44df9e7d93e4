// A folder of encoded videos: the order, the result for each video, and what is ready for training. Torch-free.
#pragma once

#include "sgf/dataset/shard_folder.h"
#include "sgf/dataset/video_folder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// How clips are cut from a video.
struct ClipCut {
  int64_t frames = 81;  // frames per clip
  int64_t height = 480;
  int64_t width = 832;
  double fps = 16;
  int64_t stride = 0;  // frames from the start of one clip to the next; 0: one clip per video

  bool operator==(const ClipCut&) const = default;
};

// Everything that the shards depend on besides the videos and their captions.
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

// The result for one video: a shard, or the reason why there is none.
struct ClipVideo {
  std::string name;  // within the folder of videos
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
  std::vector<ClipVideo> videos;  // sorted by name; includes videos that were left out

  int64_t clips() const;
};

// Files of the folder, in addition to those of every shard folder. A video's shard and its mark are named after the
// video, so that adding or removing other videos does not move them. The mark is written last and says that the shard
// is complete.
std::filesystem::path clip_shard(const std::filesystem::path& folder, const std::string& video);
std::filesystem::path clip_mark(const std::filesystem::path& folder, const std::string& video);
std::filesystem::path prompts_shard(const std::filesystem::path& folder);  // for the empty and the negative prompt

nlohmann::json to_json(const ClipShardOrder& order);
nlohmann::json to_json(const ClipVideo& video);
nlohmann::json to_json(const ClipManifest& manifest);

// nullopt if there is no mark or it is damaged.
std::optional<ClipVideo> read_clip_mark(const std::filesystem::path& folder, const std::string& video);

// Reads the manifest of a complete folder. Throws Error if the folder is incomplete, with what to do, or if a shard has
// the wrong size.
ClipManifest read_clip_manifest(const std::filesystem::path& folder);

// Identifies everything that a run learns from the folder, independent of its path.
std::string clip_identity(const ClipManifest& manifest);

}  // namespace sgf
