#include "apps/generate_targets.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/data/video_fragments.h"
#include "sgf/data/video_reader.h"
#include "sgf/data/video_y4m.h"
#include "sgf/streaming/frame_sinks.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// Empty files and folders hold nothing that could be lost.
bool is_taken(const fs::path& path) {
  const bool can_be_empty = fs::is_directory(path) || fs::is_regular_file(path);
  return fs::exists(path) && !(can_be_empty && fs::is_empty(path));
}

// The nearest folder above that is there already: the others will be made in it.
fs::path folder_above(const fs::path& path) {
  fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  while (!fs::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

void check_latents(const VideoJob& job) {
  const fs::path& file = job.output.latents;
  if (file.empty()) return;
  check(file.extension() == ".safetensors", "streaming", "latents go to a file NAME.safetensors, got {}",
        in_quotes(file.string()));
  check_writable(file.has_parent_path() ? file.parent_path() : ".", file.string());
  check(!fs::exists(file) || job.output.overwrite || job.output.resume, "streaming",
        "{} is there already: --overwrite replaces it, --latents gives another name", file.string());
}

void check_target(const VideoJob& job, bool makes_folder) {
  const std::string& target = job.output.target;
  const SinkKind kind = sink_kind_of(target, job.output.format);
  if (makes_folder)
    check_writable(folder_above(target), target);
  else
    check_sink(target, kind);
  check_latents(job);
  if (kind == SinkKind::kNone || target == "-") return;
  check(!is_taken(target) || job.output.overwrite || job.output.resume, "streaming",
        "{} is there already: --continue goes on with it, --overwrite replaces it, --out gives another name", target);
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
                                     .fps = job.order.config.video.fps});
}

// An mp4 says what made it.
void check_same_order(const VideoJob& job) {
  const std::string& target = job.output.target;
  const std::optional<std::string> note = read_video_note(target);
  const nlohmann::json made_by = nlohmann::json::parse(note.value_or(""), nullptr, /*allow_exceptions=*/false);
  check(!made_by.is_discarded(), "streaming", "{} is no video of sgf generate: --overwrite replaces it", target);
  const std::vector<std::string> different = differences(order_from_json(made_by, target), job.order);
  check(different.empty(), "streaming", "{} is another video: {}; --overwrite replaces it, --out gives another name",
        target, fmt::join(different, "; "));
}

}  // namespace

void check_targets(const std::vector<VideoJob>& jobs, bool makes_folder) {
  std::set<std::string> names;
  for (const VideoJob& job : jobs) {
    check_target(job, makes_folder);
    check(names.insert(job.output.target).second, "streaming", "two videos would be named {}", job.output.target);
  }
}

bool is_done_already(const VideoJob& job) {
  const std::string& target = job.output.target;
  const SinkKind kind = sink_kind_of(target, job.output.format);
  if (!job.output.resume || kind == SinkKind::kNone || target == "-") return false;
  if (!is_taken(target) || fs::exists(state_file(job.output))) return false;
  const int64_t asked = pictures_for(job.blocks, job.order.config);
  const std::optional<int64_t> found = pictures_there(job, kind);
  check(found.has_value(), "streaming", "{} is no video of this kind and size: --overwrite replaces it", target);
  if (*found == 0) return false;  // killed before anything was saved
  if (kind == SinkKind::kMp4) check_same_order(job);
  check(*found == asked, "streaming",
        "{} has {} pictures and no state beside it to go on from, as it was finished or begun with --save-every 0; for "
        "{} pictures --overwrite makes it anew",
        target, *found, asked);
  check(job.output.latents.empty() || fs::exists(job.output.latents), "streaming",
        "{} is whole, and was made without --latents: --overwrite makes it anew", target);
  return true;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  check(fs::is_directory(folder), "streaming", "{}: the folder cannot be made: {}", folder,
        error ? error.message() : "there is a file of that name");
}

}  // namespace sgf
