// Makes training clips from videos on disk: latents and prompt embeddings, in shards of a folder.
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
  std::filesystem::path videos;    // the folder that contains them, at any depth
  std::filesystem::path captions;  // a list; empty: a .txt file beside each video
  std::filesystem::path out;
  ClipCut cut;
  std::string negative_prompt;
  // Identities of the models and the compute dtype: shards made with others are not mixed with these.
  std::string vae, text_encoder, dtype;
  int64_t worker = 0;  // of `workers`; videos are assigned in turn
  int64_t workers = 1;
  bool check_all = false;  // hash videos and shards again instead of comparing sizes and times
  bool retry = false;      // try videos again that were left out
  SayWarning say = {};     // receives, before the work begins, videos without captions and captions without videos
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
};

struct EncodeResult {
  int64_t made = 0;    // videos encoded by this call
  int64_t done = 0;    // videos of the folder that any worker has encoded or left out
  int64_t videos = 0;  // in the folder
  int64_t clips = 0;   // from encoded videos
  std::vector<ClipVideo> left_out;
  bool was_stopped = false;  // by a signal

  bool is_whole() const { return done == videos; }
};

// A video stays encoded while it and its caption are unchanged; a changed caption only costs its embedding. Videos that
// cannot be read are left out, with the reason. Once all are done the folder gets its manifest.
EncodeResult encode_clips(const EncodeRequest& request, const VideoCodec& codec, const PromptEncoder& text);

}  // namespace sgf
