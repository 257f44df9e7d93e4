#include "sgf/dataset/encode_clips.h"

#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/core/notice.h"
#include "sgf/core/stop_signal.h"
#include "sgf/dataset/clip_reader.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/safetensors.h"
#include "sgf/files/sha256.h"
#include "sgf/files/tensors.h"
#include "sgf/media/video_reader.h"
#include "sgf/text/prompt_cleaning.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPromptsAtOnce = 64;  // the large text encoder is read once per group of this size
constexpr size_t kNamesSaid = 20;

void check_encode_request(const EncodeRequest& r, const VideoCodec& codec) {
  const ClipCut& cut = r.cut;
  SGF_CHECK(!r.out.empty(), "no folder for the clips; pass --out");
  SGF_CHECK(r.workers >= 1 && r.worker >= 0 && r.worker < r.workers,
            "worker must be 0 to workers - 1, got worker {} of {}", r.worker, r.workers);
  SGF_CHECK(cut.frames >= 1 && cut.stride >= 0 && cut.fps > 0,
            "a clip needs at least 1 frame, a positive rate and no negative stride, got {} frames at {} per second, "
            "stride {}",
            cut.frames, cut.fps, cut.stride);
  const int64_t factor = codec.spatial_factor(), latents = codec.latent_frames(cut.frames);
  SGF_CHECK(cut.height >= factor && cut.width >= factor && cut.height % factor == 0 && cut.width % factor == 0,
            "height and width must be multiples of {}, got {} x {}", factor, cut.height, cut.width);
  SGF_CHECK(codec.picture_frames(latents) == cut.frames, "{} frames do not fill whole latent frames; use {} or {}",
            cut.frames, codec.picture_frames(latents), codec.picture_frames(latents + 1));
}

ClipShardOrder clip_order_of(const EncodeRequest& r, const VideoCodec& codec, const PromptEncoder& text) {
  const int64_t factor = codec.spatial_factor();
  return {.vae = r.vae,
          .text_encoder = r.text_encoder,
          .dtype = r.dtype,
          .cut = r.cut,
          .latent = {codec.latent_frames(r.cut.frames), codec.latent_channels(), r.cut.height / factor,
                     r.cut.width / factor},
          .text_len = text.text_len(),
          .text_dim = text.text_dim(),
          .negative_prompt = r.negative_prompt};
}

void say_names(const EncodeRequest& request, const std::string& what, const std::vector<std::string>& names) {
  if (names.empty() || !request.say) return;
  const std::vector<std::string> said(names.begin(),
                                      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesSaid)));
  request.say(fmt::format("{}: {}{}", what, fmt::join(said, ", "), names.size() > said.size() ? ", ..." : ""));
}

void say_skipped(const EncodeRequest& request, const VideoFolder& folder) {
  const auto videos = std::ssize(folder.uncaptioned), captions = std::ssize(folder.without_video);
  say_names(
      request,
      counted(videos, "video") + (videos == 1 ? " has no caption and is skipped" : " have no caption and are skipped"),
      folder.uncaptioned);
  say_names(request, counted(captions, "caption") + (captions == 1 ? " has no video" : " have no video"),
            folder.without_video);
}

void check_readable(const VideoFolder& folder) {
  if (can_read_videos()) return;
  for (const FolderVideo& video : folder.videos)
    if (!fs::is_directory(video.path)) open_frames(video.path);  // says what to install
}

// The bytes of a dense CPU tensor.
std::span<const std::byte> bytes_of(const at::Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
}

at::Tensor on_cpu(const at::Tensor& tensor) { return tensor.to(at::kCPU).contiguous(); }

// Encodes videos that are not encoded yet, one at a time.
class ClipMaker {
 public:
  ClipMaker(const EncodeRequest& request, const VideoCodec& codec, const PromptEncoder& text,
            std::vector<int64_t> latent)
      : request_(request), codec_(codec), text_(text), latent_(std::move(latent)) {}

  void write_prompts() const {
    const fs::path path = prompts_shard(request_.out);
    if (fs::exists(path) && is_sound(path)) return;  // from the same order
    const std::vector<at::Tensor> rows = embed({"", request_.negative_prompt});
    save(path, {{"empty", rows[0]}, {"negative", rows[1]}}, "clip prompts");
  }

  static bool is_sound(const fs::path& prompts) {
    try {
      open_checkpoint(prompts, "clip prompts");
      return true;
    } catch (const Error& error) {
      notice_once(prompts.string(), fmt::format("{}; encoding the prompts again", error.what()));
      return false;
    }
  }

  std::vector<at::Tensor> embed(const std::vector<std::string>& prompts) const {
    std::vector<std::string> cleaned;
    for (const std::string& prompt : prompts) cleaned.push_back(clean_prompt(prompt));
    std::vector<at::Tensor> rows;
    for (const EncodedPrompt& encoded : text_.encode(cleaned)) rows.push_back(on_cpu(encoded.rows));
    return rows;
  }

  // Whether the mark belongs to this exact video and its shard is there.
  bool is_current(const FolderVideo& video, const std::optional<ClipVideo>& mark, bool check_all) const {
    return mark && mark->caption == video.caption && has_same_content(video, *mark, check_all) &&
           (mark->is_left_out() || has_shard(*mark, check_all));
  }

  // Whether the video could not even be hashed. It is then left out of the manifest, and the next start tries it again.
  static bool is_unreadable(const FolderVideo& video, const std::optional<ClipVideo>& mark) {
    return mark && mark->is_left_out() && mark->sha256.empty() && mark->name == video.name &&
           mark->bytes == video.bytes && mark->changed == video.changed && mark->caption == video.caption;
  }

  // Whether nothing is left to do for this video.
  bool is_done(const FolderVideo& video) const {
    const std::optional<ClipVideo> mark = read_clip_mark(request_.out, video.name);
    return is_current(video, mark, request_.check_all) && !(mark->is_left_out() && request_.retry);
  }

  // nullopt if a signal came before the end; the video is then restarted.
  std::optional<ClipVideo> encode(const FolderVideo& video, const at::Tensor& rows, const StopSignal& signal) const {
    const std::optional<ClipVideo> before = read_clip_mark(request_.out, video.name);
    const bool is_kept = before && !before->is_left_out() && has_same_content(video, *before, request_.check_all) &&
                         has_shard(*before, request_.check_all);
    const at::Tensor kept = is_kept ? latents_of(video) : at::Tensor();
    fs::remove(clip_mark(request_.out, video.name));
    ClipVideo result{.name = video.name, .bytes = video.bytes, .changed = video.changed, .caption = video.caption};
    GrowingSafetensors shard = begin_shard(video, rows);
    if (is_kept) {
      result.sha256 = before->sha256;
      for (int64_t i = 0; i < kept.size(0); ++i) shard.add(bytes_of(kept[i]));
    } else if (!read_and_encode(video, result, shard, signal)) {
      return std::nullopt;
    }
    if (!result.is_left_out()) finish_shard(result, shard);
    write_json_file(clip_mark(request_.out, video.name), to_json(result));
    return result;
  }

 private:
  // A video that could not even be hashed is tried again.
  static bool has_same_content(const FolderVideo& video, const ClipVideo& mark, bool check_all) {
    if (mark.name != video.name || mark.bytes != video.bytes || mark.sha256.empty()) return false;
    if (mark.changed == video.changed && !check_all) return true;
    return sha256_of_video(video.path) == mark.sha256;
  }

  bool has_shard(const ClipVideo& mark, bool check_all) const {
    const fs::path path = clip_shard(request_.out, mark.name);
    if (!fs::exists(path) || fs::file_size(path) != mark.shard_bytes) return false;
    return !check_all || sha256_of_file(path) == mark.shard_sha256;
  }

  at::Tensor latents_of(const FolderVideo& video) const {
    return map_tensor(open_checkpoint(clip_shard(request_.out, video.name), "clips"), "latents");
  }

  // Clip by clip, however long the video is. Only reading errors are tolerated: any other error is not the video's
  // fault.
  bool read_and_encode(const FolderVideo& video, ClipVideo& result, GrowingSafetensors& shard,
                       const StopSignal& signal) const {
    const at::NoGradGuard no_grad;
    std::optional<ClipReader> reader;
    while (signal.received() == 0) {
      at::Tensor pictures;
      try {
        if (!reader) {
          result.sha256 = sha256_of_video(video.path);
          reader.emplace(video.path, request_.cut);
        }
        pictures = reader->next();
      } catch (const Error& error) {
        result.problem = error.what();
        return true;
      }
      if (!pictures.defined()) return true;
      shard.add(bytes_of(on_cpu(codec_.encode(pictures.unsqueeze(0))[0].to(at::kFloat))));
    }
    return false;
  }

  GrowingSafetensors begin_shard(const FolderVideo& video, const at::Tensor& rows) const {
    std::map<std::string, std::string> metadata;
    stamp(metadata, "clips");
    const OutgoingTensor text =
        outgoing_bytes("text", dtype_of(rows.scalar_type()), rows.sizes().vec(), bytes_of(rows));
    return {clip_shard(request_.out, video.name),
            {.name = "latents", .dtype = DType::kF32, .shape = latent_},
            {text},
            std::move(metadata)};
  }

  void finish_shard(ClipVideo& video, GrowingSafetensors& shard) const {
    const fs::path path = clip_shard(request_.out, video.name);
    shard.finish();
    video.clips = shard.rows();
    video.shard_bytes = fs::file_size(path);
    video.shard_sha256 = sha256_of_file(path);
  }

  static void save(const fs::path& path, const NamedTensors& tensors, std::string_view kind) {
    std::map<std::string, std::string> metadata;
    stamp(metadata, kind);
    save_tensors(path, tensors, metadata);
  }

  const EncodeRequest& request_;
  const VideoCodec& codec_;
  const PromptEncoder& text_;
  std::vector<int64_t> latent_;  // [F, C, h, w] of a clip
};

std::vector<FolderVideo> own_work(const EncodeRequest& request, const VideoFolder& folder, const ClipMaker& encoder) {
  std::vector<FolderVideo> work;
  for (size_t i = 0; i < folder.videos.size(); ++i) {
    const FolderVideo& video = folder.videos[i];
    const bool is_own = static_cast<int64_t>(i) % request.workers == request.worker;
    if (is_own && !encoder.is_done(video)) work.push_back(video);
  }
  return work;
}

// Removes temporary files that killed processes left. Shards of other workers are kept: another host may be writing
// them, where a lock is not always visible.
void sweep_shard_folder(const EncodeRequest& request, const VideoFolder& folder) {
  std::set<std::string> others;
  for (size_t i = 0; i < folder.videos.size(); ++i)
    if (static_cast<int64_t>(i) % request.workers != request.worker)
      others.insert(clip_shard(request.out, folder.videos[i].name).filename().string());
  sweep_half_written(request.out, [&](const std::string& name) { return !others.contains(name); });
}

// Processes all videos; returns false if a signal came before the end.
bool encode_all(const EncodeRequest& request, const ClipMaker& encoder, const std::vector<FolderVideo>& work,
                EncodeResult& result) {
  if (work.empty()) return true;
  const StopSignal signal;
  ProgressLine progress({.mode = request.progress, .total_steps = static_cast<int64_t>(work.size()), .unit = "video"},
                        request.output);
  for (size_t first = 0; first < work.size(); first += kPromptsAtOnce) {
    const size_t end = std::min(first + kPromptsAtOnce, work.size());
    std::vector<std::string> captions;
    for (size_t i = first; i < end; ++i) captions.push_back(work[i].caption);
    const std::vector<at::Tensor> rows = encoder.embed(captions);
    for (size_t i = first; i < end; ++i) {
      const std::optional<ClipVideo> made = encoder.encode(work[i], rows[i - first], signal);
      if (!made) {
        progress.finish();
        return false;
      }
      if (made->is_left_out()) progress.say("skipped: " + made->problem);
      result.made += made->is_left_out() ? 0 : 1;
      progress.show({.step = static_cast<int64_t>(i) + 1});
    }
  }
  progress.finish();
  return true;
}

// The last worker to finish finds all marks; several that finish together write the same bytes.
void gather_marks(const fs::path& out, const VideoFolder& folder, const ClipMaker& encoder, const ClipShardOrder& order,
                  EncodeResult& result) {
  ClipManifest manifest{order, sha256_of_file(prompts_shard(out)), {}};
  for (const std::string& name : folder.uncaptioned) manifest.videos.push_back({.name = name, .problem = "no caption"});
  for (const auto& [name, problem] : folder.unreadable) manifest.videos.push_back({.name = name, .problem = problem});
  for (const FolderVideo& video : folder.videos) {
    const std::optional<ClipVideo> mark = read_clip_mark(out, video.name);
    const bool is_done = encoder.is_current(video, mark, /*check_all=*/false) || ClipMaker::is_unreadable(video, mark);
    if (is_done) manifest.videos.push_back(*mark);
  }
  std::ranges::sort(manifest.videos, {}, &ClipVideo::name);
  for (const ClipVideo& video : manifest.videos)
    if (video.is_left_out()) result.left_out.push_back(video);
  result.clips = manifest.clips();
  result.done = static_cast<int64_t>(manifest.videos.size());
  result.videos = static_cast<int64_t>(folder.videos.size() + folder.uncaptioned.size() + folder.unreadable.size());
  if (result.is_whole()) write_json_file(manifest_file(out), to_json(manifest));
}

}  // namespace

EncodeResult encode_clips(const EncodeRequest& request, const VideoCodec& codec, const PromptEncoder& text) {
  check_encode_request(request, codec);
  const VideoFolder folder = read_video_folder(request.videos, request.captions);
  say_skipped(request, folder);
  check_readable(folder);
  const ClipShardOrder order = clip_order_of(request, codec, text);
  claim_shard_folder(request.out, to_json(order), "clips");
  const ClipMaker encoder(request, codec, text, order.latent);
  encoder.write_prompts();
  const std::vector<FolderVideo> work = own_work(request, folder, encoder);
  if (!work.empty()) fs::remove(manifest_file(request.out));  // until everything is complete again
  sweep_shard_folder(request, folder);
  EncodeResult result;
  result.was_stopped = !encode_all(request, encoder, work, result);
  gather_marks(request.out, folder, encoder, order, result);
  return result;
}

}  // namespace sgf
