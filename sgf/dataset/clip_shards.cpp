#include "sgf/dataset/clip_shards.h"

#include "sgf/core/error.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/sha256.h"
#include "sgf/files/tensors.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

ClipManifest without_left_out(ClipManifest manifest) {
  std::erase_if(manifest.videos, [](const ClipVideo& video) { return video.is_left_out(); });
  return manifest;
}

// The mapped tensor, after checking that the shard matches the manifest.
at::Tensor clips_of(const TensorFile& shard, const ClipVideo& video, const ClipShardOrder& order) {
  at::Tensor latents = map_tensor(shard, "latents");
  std::vector<int64_t> expected{video.clips};
  expected.insert(expected.end(), order.latent.begin(), order.latent.end());
  SGF_CHECK(latents.sizes() == expected, "the shard of {} has latents of [{}], but the manifest says [{}]", video.name,
            fmt::join(latents.sizes().begin(), latents.sizes().end(), ", "), fmt::join(expected, ", "));
  return latents;
}

}  // namespace

ClipShards::ClipShards(std::filesystem::path folder, uint64_t seed)
    : folder_(std::move(folder)),
      manifest_(without_left_out(read_clip_manifest(folder_))),
      epochs_(manifest_.clips(), seed) {
  int64_t end = 0;
  for (const ClipVideo& video : manifest_.videos) {
    ends_.push_back(end += video.clips);
    first_of_caption_.emplace(video.caption, ends_.size() - 1);
  }
}

ClipShards::Place ClipShards::place_of(int64_t clip) const {
  const auto end = std::ranges::upper_bound(ends_, clip);
  const ClipVideo& video = manifest_.videos[static_cast<size_t>(end - ends_.begin())];
  return {&video, clip - (*end - video.clips)};
}

TensorFile ClipShards::open_shard(const ClipVideo& video) const {
  const std::filesystem::path path = clip_shard(folder_, video.name);
  const bool is_sound = checked_.contains(video.name) || sha256_of_file(path) == video.shard_sha256;
  SGF_CHECK(is_sound,
            "{}: the shard of {} does not match the manifest: it is damaged or was changed; run sgf data encode "
            "--check to make it again",
            path.string(), video.name);
  checked_.insert(video.name);
  return open_checkpoint(path, "clips", HashCheck::kHeader);  // its bytes are covered by SHA-256
}

ClipBatch ClipShards::clips(int64_t first, int64_t count, int64_t frames, c10::Device device) const {
  SGF_CHECK(frames <= order().latent.front(), "{}: its clips have {} latent frames, but {} were requested",
            folder_.string(), order().latent.front(), frames);
  ClipBatch batch;
  std::vector<at::Tensor> latents;
  for (int64_t number = first; number < first + count; ++number) {
    const Place place = place_of(epochs_.at(number));
    const at::Tensor all = clips_of(open_shard(*place.video), *place.video, order());
    latents.push_back(all[place.row].narrow(0, 0, frames));
    batch.captions.push_back(place.video->caption);
  }
  batch.latents = at::stack(latents).to(device, at::kFloat);
  return batch;
}

std::vector<std::string> ClipShards::first_captions(int64_t most) const {
  std::vector<std::string> captions;
  for (const ClipVideo& video : manifest_.videos) {
    if (static_cast<int64_t>(captions.size()) == most) break;
    if (std::ranges::find(captions, video.caption) == captions.end()) captions.push_back(video.caption);
  }
  return captions;
}

std::optional<at::Tensor> ClipShards::text_rows(const std::string& prompt) const {
  const bool is_negative = prompt == order().negative_prompt;
  if (prompt.empty() || is_negative)
    return map_tensor(open_checkpoint(prompts_shard(folder_), "clip prompts", HashCheck::kAll,
                                      "run sgf data encode again to write it anew"),
                      prompt.empty() ? "empty" : "negative");
  const auto found = first_of_caption_.find(prompt);
  if (found == first_of_caption_.end()) return std::nullopt;
  return map_tensor(open_shard(manifest_.videos[found->second]), "text");
}

}  // namespace sgf
