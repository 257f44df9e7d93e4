// Makes clips that can be learnt of videos on disk: latents and prompt embeddings, in shards of a folder.
#pragma once

#include "sgf/core/progress_line.h"
#include "sgf/dataset/clip_manifest.h"
#include "sgf/media/video_codec.h"
#include "sgf/text/prompt_encoder.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct EncodeRequest {
  std::filesystem::path videos;    // the folder they lie in, at any depth
  std::filesystem::path captions;  // a list; empty: a .txt file beside each video
  std::filesystem::path out;
  ClipCut cut;
  std::string negative_prompt;
  // Identities of what encodes, and the type it computes in: shards of others are not mixed with these.
  std::string vae, text_encoder, dtype;
  int64_t worker = 0;  // of `workers`: videos are dealt out in turn
  int64_t workers = 1;
  bool check_all = false;  // hash videos and shards again, where equal sizes and times would do
  bool retry = false;      // try again what was left out
  SayWarning say = {};     // hears, before the work begins, what has no caption and what no video
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
};

struct EncodeResult {
  int64_t made = 0;    // videos, by this call
  int64_t done = 0;    // videos of the folder that are encoded or left out, by whichever worker
  int64_t videos = 0;  // of the folder
  int64_t clips = 0;   // of those that are encoded
  std::vector<ClipVideo> left_out;
  bool was_stopped = false;  // a signal asked for it

  bool is_whole() const { return done == videos; }
};

// What is encoded stays so while the video and its caption are the same; a changed caption costs its embedding alone.
// Videos that cannot be read are left out, with the reason. Once all are done the folder gets its manifest.
EncodeResult encode_clips(const EncodeRequest& request, const VideoCodec& codec, const PromptEncoder& text);

}  // namespace sgf
