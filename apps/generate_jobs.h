// From the arguments of `sgf generate` to one order per video, checked before any work.
#pragma once

#include "sgf/streaming/choose_model.h"
#include "sgf/streaming/generate.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sgf {

struct GenerateArgs {
  ModelArgs model;
  int64_t threads = 0;

  std::string prompt, script, prompts_file, negative, image, video;
  std::vector<std::pair<std::string, std::string>> changes;
  std::string on_switch = "keep", naming = "numbered", shard = "0/1";
  int64_t samples = 1;
  bool same_noise = false;
  double guidance = 1;

  double seconds = 5;
  std::optional<int64_t> seed;
  std::string size, positions;
  std::optional<int64_t> steps;

  std::string out, format, latents;
  int64_t crf = 16;
  std::optional<int64_t> enlarge, save_every;
  bool resume = false, overwrite = false, dry_run = false, json = false, quiet = false;

  bool writes_to_pipe() const { return out == "-"; }
};

// "832x480": width and height. Throws Error for anything else.
PictureSize parse_size(const std::string& text);

struct VideoJob {
  GenerateOrder order;
  GenerateOutput output;
  int64_t blocks = 0;
};

// All videos of the arguments, without their CPU threads; they share one network. Throws Error if the arguments
// contradict each other.
std::vector<VideoJob> jobs_of(const GenerateArgs& args);

void choose_threads(const GenerateArgs& args, std::vector<VideoJob>& jobs);

// Throws Error if a prompt cannot be encoded. Warns of prompts for which a world has no training videos.
void check_prompts(const std::vector<VideoJob>& jobs, const StreamParts& parts,
                   const std::function<void(const std::string&)>& warn);

// Prints what would be loaded, and the length and size of the videos.
void print_plan(const std::vector<VideoJob>& jobs, bool json);

// Writes manifest.json, with file, prompt, seed and sample of each video, for sgf eval and sgf world measure, after
// earlier videos of the folder. Processes that share the videos all write the same list of all of them.
void write_manifest(const std::string& folder, const std::vector<VideoJob>& jobs);

}  // namespace sgf
