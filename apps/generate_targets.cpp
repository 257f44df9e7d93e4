#include "apps/generate_targets.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/tensor_file.h"
#include "sgf/files/writable_folder.h"
#include "sgf/media/latent_file.h"
#include "sgf/media/png.h"
#include "sgf/media/video_fragments.h"
#include "sgf/media/video_writer.h"
#include "sgf/media/video_y4m.h"
#include "sgf/streaming/frame_sinks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

namespace sgf {
namespace {

namespace fs = std::filesystem;

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return !a.empty() && !b.empty() && fs::equivalent(a, b, error) && !error;
}

// --overwrite must not replace what the video is made from.
void check_inputs_stay(const VideoJob& job) {
  const GenerateOrder& order = job.order;
  std::vector<fs::path> inputs{order.model, order.image, order.video};
  for (const OrderLora& lora : order.loras) inputs.emplace_back(lora.file);
  for (const fs::path& input : inputs)
    for (const fs::path& output : {fs::path(job.output.target), job.output.latents})
      SGF_CHECK(!is_same(input, output) && !(fs::is_directory(output) && is_same(input.parent_path(), output)),
                "{}: {} is an input of this video; choose another output", output.string(), input.string());
}

// Known before a network is loaded and a block of that size is computed.
void check_video_side(const GenerateOrder& order) {
  const PictureSize size = picture_size(order.config);
  SGF_CHECK(
      std::max(size.width, size.height) * order.enlarge <= kLongestVideoSide,
      "mp4 frames have at most {} pixels on each side, got {}x{}; pass a smaller --size or --enlarge, or --format "
      "png",
      kLongestVideoSide, size.width * order.enlarge, size.height * order.enlarge);
}

void check_latents(const VideoJob& job) {
  const fs::path& file = job.output.latents;
  if (file.empty()) return;
  SGF_CHECK(file.extension() == ".safetensors", "--latents must name a .safetensors file, got {}",
            in_quotes(file.string()));
  check_can_be_put(file);
  for (const fs::path& there : {file, latent_part_of(file)})
    SGF_CHECK(!is_taken(there) || job.output.overwrite || job.output.resume,
              "{} already exists; pass --overwrite, or another name with --latents", there.string());
}

void check_target(const VideoJob& job, bool makes_folder) {
  const std::string& target = job.output.target;
  const SinkKind kind = sink_kind_of(target, job.output.format);
  if (makes_folder)
    check_can_be_made(fs::path(target).parent_path(), target);
  else
    check_sink(target, kind);
  check_inputs_stay(job);
  if (kind == SinkKind::kMp4) check_video_side(job.order);
  check_latents(job);
  if (kind == SinkKind::kNone || target == "-") return check_files_beside(job.order, job.output);
  SGF_CHECK(!is_taken(target) || job.output.overwrite || job.output.resume,
            "{} already exists; pass --continue to resume it, --overwrite, or another name with --out", target);
  check_files_beside(job.order, job.output);
  if (job.output.resume) check_own_files(job.order, job.output);
  is_done_already(job);  // refuses what is neither done nor to be gone on with
}

// Pictures of a file or folder of that kind; nothing where it is none.
std::optional<int64_t> pictures_there(const VideoJob& job, SinkKind kind) {
  const std::string& target = job.output.target;
  if (kind == SinkKind::kPng) return count_png_frames(target);
  if (kind == SinkKind::kMp4) {
    const std::optional<GrownVideo> found = find_grown_video(target);
    return found ? std::optional(found->pictures) : std::nullopt;
  }
  const PictureSize size = picture_size(job.order.config);
  return count_y4m_pictures(target, {.width = size.width * job.order.enlarge,
                                     .height = size.height * job.order.enlarge,
                                     .fps = job.order.config.video.fps,
                                     .mark = mark_of(job.order)});
}

// Every frame is read: a folder may have lost some content since.
void check_frames(const fs::path& folder, int64_t frames) {
  for (int64_t i = 0; i < frames; ++i) {
    const fs::path frame = folder / fmt::format("frame_{:08}.png", i);
    try {
      read_png(frame);
    } catch (const Error& error) {
      fail("{}; the other frames are complete: regenerate the video with --overwrite", error.what());
    }
  }
}

// An earlier start was killed before its first state, so that there is nothing to go on with.
bool is_unsaved_start(const VideoJob& job, int64_t found) {
  if (job.order.save_every == 0 || !was_begun(job.order, job.output)) return false;
  SGF_CHECK(
      found <= pictures_for(job.order.save_every, job.order.config),
      "{} has {} frames, but its saved state {} is missing; restore the state, or pass --overwrite to start again",
      job.output.target, found, state_file(job.output).string());
  return true;
}

}  // namespace

void check_targets(const std::vector<VideoJob>& jobs, bool makes_folder) {
  for (const VideoJob& job : jobs) check_target(job, makes_folder);
}

void check_names(const std::vector<VideoJob>& jobs) {
  std::set<std::string> names;
  for (const VideoJob& job : jobs)
    SGF_CHECK(names.insert(job.output.target).second, "two videos would be named {}", job.output.target);
}

bool is_done_already(const VideoJob& job) {
  const std::string& target = job.output.target;
  const SinkKind kind = sink_kind_of(target, job.output.format);
  if (!job.output.resume || kind == SinkKind::kNone || target == "-") return false;
  if (!is_taken(target) || fs::exists(state_file(job.output))) return false;
  const int64_t asked = pictures_for(job.blocks, job.order.config);
  check_own_files(job.order, job.output);
  const int64_t found = pictures_there(job, kind).value_or(0);
  if (found == 0 || (found != asked && is_unsaved_start(job, found))) return false;
  SGF_CHECK(
      found == asked,
      "{} has {} frames and no saved state to resume from, because it is complete or was made with --save-every 0; for "
      "{} frames regenerate it with --overwrite",
      target, found, asked);
  SGF_CHECK(job.output.latents.empty() || fs::exists(job.output.latents),
            "{} is complete but was made without --latents; regenerate it with --overwrite", target);
  if (!job.output.latents.empty()) open_tensor_file(job.output.latents);  // throws for one that was truncated
  if (kind == SinkKind::kPng) check_frames(target, found);
  return true;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  SGF_CHECK(fs::is_directory(folder), "{}: the folder cannot be created: {}", folder,
            error ? error.message() : "a file of that name exists");
}

}  // namespace sgf
