#include "sgf/dataset/clip_manifest.h"

#include "sgf/core/checked_size.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/sha256.h"

#include <algorithm>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kClipFormat = "sgf clips 1";

std::string shard_stem(const std::string& video) { return "clips_" + sha256_of(video).substr(0, 16); }

ClipShardOrder clip_order_from(const Json& j) {
  ClipShardOrder o;
  j.at("vae").get_to(o.vae);
  j.at("text_encoder").get_to(o.text_encoder);
  j.at("dtype").get_to(o.dtype);
  o.cut.frames = integer_of(j.at("frames"));
  o.cut.height = integer_of(j.at("height"));
  o.cut.width = integer_of(j.at("width"));
  j.at("fps").get_to(o.cut.fps);
  o.cut.stride = integer_of(j.at("stride"));
  o.latent = integers_of(j.at("latent"));
  o.text_len = integer_of(j.at("text_len"));
  o.text_dim = integer_of(j.at("text_dim"));
  j.at("negative_prompt").get_to(o.negative_prompt);
  return o;
}

ClipVideo clip_video_from(const Json& j) {
  ClipVideo v;
  j.at("name").get_to(v.name);
  j.at("bytes").get_to(v.bytes);
  j.at("changed").get_to(v.changed);
  j.at("sha256").get_to(v.sha256);
  j.at("caption").get_to(v.caption);
  if (j.contains("problem")) {
    j.at("problem").get_to(v.problem);
    return v;
  }
  j.at("clips").get_to(v.clips);
  j.at("shard_bytes").get_to(v.shard_bytes);
  j.at("shard_sha256").get_to(v.shard_sha256);
  return v;
}

void check_manifest(const ClipManifest& m, const fs::path& folder) {
  // Every clip takes more than one byte of its shard, so a count below the shard's size is plausible.
  const bool is_sound = m.order.latent.size() == 4 && checked_product(m.order.latent).value_or(0) > 0 &&
                        std::ranges::all_of(m.videos, [](const ClipVideo& v) {
                          return v.is_left_out() || (v.clips > 0 && static_cast<uint64_t>(v.clips) <= v.shard_bytes);
                        });
  SGF_CHECK(is_sound, "{}: is not a list of clips", manifest_file(folder).string());
  SGF_CHECK(!std::ranges::all_of(m.videos, &ClipVideo::is_left_out),
            "{}: contains no clips: every video was left out; see manifest.json for the reasons", folder.string());
  for (const ClipVideo& video : m.videos) {
    const fs::path path = clip_shard(folder, video.name);
    SGF_CHECK(video.is_left_out() || (fs::exists(path) && fs::file_size(path) == video.shard_bytes),
              "{}: the shard of {} is missing or its size does not match the manifest; run sgf data encode again",
              path.string(), video.name);
  }
}

}  // namespace

int64_t ClipManifest::clips() const {
  int64_t all = 0;
  for (const ClipVideo& video : videos) all += video.clips;
  return all;
}

fs::path clip_shard(const fs::path& folder, const std::string& video) {
  return folder / (shard_stem(video) + ".safetensors");
}
fs::path clip_mark(const fs::path& folder, const std::string& video) { return folder / (shard_stem(video) + ".json"); }
fs::path prompts_shard(const fs::path& folder) { return folder / "prompts.safetensors"; }

Json to_json(const ClipShardOrder& o) {
  return {{"format", kClipFormat},
          {"vae", o.vae},
          {"text_encoder", o.text_encoder},
          {"dtype", o.dtype},
          {"frames", o.cut.frames},
          {"height", o.cut.height},
          {"width", o.cut.width},
          {"fps", o.cut.fps},
          {"stride", o.cut.stride},
          {"latent", o.latent},
          {"text_len", o.text_len},
          {"text_dim", o.text_dim},
          {"negative_prompt", o.negative_prompt}};
}

Json to_json(const ClipVideo& v) {
  Json json{{"format", kClipFormat}, {"name", v.name},     {"bytes", v.bytes},
            {"changed", v.changed},  {"sha256", v.sha256}, {"caption", v.caption}};
  if (v.is_left_out()) {
    json["problem"] = v.problem;
    return json;
  }
  json["clips"] = v.clips;
  json["shard_bytes"] = v.shard_bytes;
  json["shard_sha256"] = v.shard_sha256;
  return json;
}

Json to_json(const ClipManifest& m) {
  Json videos = Json::array();
  for (const ClipVideo& video : m.videos) videos.push_back(to_json(video));
  return {{"format", kClipFormat},
          {"order", to_json(m.order)},
          {"prompts_sha256", m.prompts_sha256},
          {"videos", std::move(videos)}};
}

std::optional<ClipVideo> read_clip_mark(const fs::path& folder, const std::string& video) {
  return find_mark(clip_mark(folder, video), kClipFormat, clip_video_from);
}

ClipManifest read_clip_manifest(const fs::path& folder) {
  SGF_CHECK(fs::exists(order_file(folder)), "{}: contains no clips; run sgf data encode to make them from videos",
            folder.string());
  SGF_CHECK(fs::exists(manifest_file(folder)),
            "{}: not all videos are encoded yet; run the same sgf data encode again with all its workers",
            folder.string());
  ClipManifest manifest = read_json_file(manifest_file(folder), kClipFormat, [](const Json& json) {
    ClipManifest read{clip_order_from(json.at("order")), json.at("prompts_sha256").get<std::string>(), {}};
    for (const Json& video : json.at("videos")) read.videos.push_back(clip_video_from(video));
    return read;
  });
  check_manifest(manifest, folder);
  return manifest;
}

std::string clip_identity(const ClipManifest& manifest) {
  Sha256 hash;
  hash.update(to_json(manifest.order).dump());
  hash.update(manifest.prompts_sha256);
  for (const ClipVideo& video : manifest.videos)
    if (!video.is_left_out())
      hash.update(fmt::format("{} {} {} {}\n", video.name, video.clips, video.shard_sha256, video.caption));
  return hash.hex();
}

}  // namespace sgf
