#include "sgf/streaming/video_claim.h"

#include "sgf/core/error.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/latent_file.h"
#include "sgf/media/latent_note.h"
#include "sgf/media/mp4_boxes.h"
#include "sgf/media/video_fragments.h"
#include "sgf/media/video_reader.h"
#include "sgf/media/video_y4m.h"
#include "sgf/streaming/stream_file.h"
#include "sgf/streaming/stream_parts.h"
#include "sgf/streaming/video_lock.h"

#include <fmt/ranges.h>

#include <functional>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const GenerateOutput& output) {
  std::vector<fs::path> files;
  if (output.is_file()) files.emplace_back(output.target);
  if (!output.latents.empty()) files.push_back(output.latents);
  return files;
}

// The origin of a file, from the file itself or from files beside it.
enum class Word {
  kNone,   // nothing readable
  kOwn,    // this order
  kOther,  // another program, or an incomparable order
};

// Throws if the orders differ. `what` says it of other videos, with what to do.
void check_same_order(const fs::path& file, const GenerateOrder& there, const GenerateOrder& here,
                      const std::function<std::string(const std::string& different)>& what) {
  const std::vector<std::string> different = differences(there, here);
  if (different.empty()) return;
  if (different.size() == 1 && there.save_every != here.save_every)
    throw OtherVideo(fmt::format("{} was started with --save-every {}, got {}; pass --save-every {} to resume, or "
                                 "--overwrite to start again",
                                 file.string(), there.save_every, here.save_every, there.save_every),
                     there, here);
  throw OtherVideo(what(fmt::format("{}", fmt::join(different, "; "))), there, here);
}

Word word_in(const std::optional<std::string>& note, const std::string& where, const GenerateOrder& order) {
  const std::optional<GenerateOrder> there = find_order(note.value_or(""), where);
  if (!there) return Word::kOther;
  check_same_order(where, *there, order, [&](const std::string& different) {
    return fmt::format("{} is another video: {}; use --overwrite to replace it or --out for another name", where,
                       different);
  });
  return Word::kOwn;
}

bool begins_with(std::string_view content, std::string_view signature) {
  return content.substr(0, signature.size()) == signature.substr(0, content.size());
}

// What a kill can leave of a file before its header is complete: nothing, zeros, or the beginning of a header.
Word word_of_torn(const fs::path& file, std::string_view signature, size_t at) {
  const auto mapped = MappedFile::open(file);
  const std::string_view content = mapped->text();
  const bool is_blank = content.find_first_not_of('\0') == std::string_view::npos;
  return is_blank || (content.size() > at && begins_with(content.substr(at), signature)) ? Word::kNone : Word::kOther;
}

// An mp4 of another program may have its frames before its header; ours never does.
Word word_of_torn_mp4(const fs::path& file) {
  const auto mapped = MappedFile::open(file);
  bool is_header = true;
  const auto take = [&](const Mp4Box& box, uint64_t) { return is_header = box.type == "ftyp"; };
  const uint64_t walked = walk_mp4_boxes(mapped->bytes(), OpenMp4Box::kIncomplete, take);
  const std::string_view begun = mp4_type_at(mapped->bytes().subspan(walked));
  if (!is_header || !(begun.empty() || begun == "ftyp" || begun == "moov")) return Word::kOther;
  return word_of_torn(file, "ftyp", 4);
}

Word word_in_mp4(const fs::path& file, const GenerateOrder& order) {
  const std::optional<GrownVideo> video = find_grown_video(file);
  if (!video) return word_of_torn_mp4(file);
  if (video->has_other_frames) return Word::kOther;  // programs that edit a video may keep its note
  return word_in(read_video_note(file), file.string(), order);
}

Word word_in_y4m(const fs::path& file, const GenerateOrder& order) {
  const std::optional<std::string> mark = read_y4m_mark(file);
  if (!mark || mark->empty()) return word_of_torn(file, "YUV4MPEG2", 0);  // files of earlier versions have no mark
  const PictureSize size = picture_size(order.config);
  const bool has_our_head = count_y4m_pictures(file, {.width = size.width * order.enlarge,
                                                      .height = size.height * order.enlarge,
                                                      .fps = order.config.video.fps,
                                                      .mark = mark_of(order)})
                                .has_value();
  return *mark == mark_of(order) && has_our_head ? Word::kOwn : Word::kOther;
}

Word word_in_folder(const fs::path& folder, const GenerateOrder& order) {
  const std::optional<std::string> note = read_png_note(folder);
  return note ? word_in(note, folder.string(), order) : Word::kNone;
}

Word word_in_video(const GenerateOutput& output, const GenerateOrder& order) {
  const SinkKind kind = sink_kind_of(output.target, output.format);
  if (kind == SinkKind::kMp4) return word_in_mp4(output.target, order);
  return kind == SinkKind::kY4m ? word_in_y4m(output.target, order) : word_in_folder(output.target, order);
}

Word word_in_latents(const fs::path& file, const GenerateOrder& order) {
  const std::optional<std::string> note = read_latent_note(file);
  return note ? word_in(note, file.string(), order) : word_of_torn(file, "{", 8);
}

// The lock of a process that was killed while writing the file.
bool is_named_by_lock(const fs::path& file, const GenerateOrder& order) {
  const std::optional<GenerateOrder> there = order_in_lock(lock_file(file));
  return there && differences(*there, order).empty();
}

void check_is_state(const fs::path& state) {
  SGF_CHECK(is_stream_file(state), "{}: is not a state of sgf; rename it, or use another name for the video",
            state.string());
}

bool is_named_by_state(const GenerateOutput& output, const GenerateOrder& order) {
  if (!fs::exists(state_file(output))) return false;
  check_is_state(state_file(output));
  const GenerateOrder there = load_stream(state_file(output)).note.order;
  check_same_order(state_file(output), there, order, [&](const std::string& different) {
    return fmt::format("{} belongs to another video: {}; use --overwrite to start again", state_file(output).string(),
                       different);
  });
  return true;
}

void check_own(const fs::path& file, Word word, bool is_named) {
  SGF_CHECK(word == Word::kOwn || (word == Word::kNone && is_named),
            "{} was not made by this command, so --continue does not change it; use --overwrite to replace it or --out "
            "for another name",
            file.string());
}

}  // namespace

bool GenerateOutput::is_file() const { return target != "-" && sink_kind_of(target, format) != SinkKind::kNone; }

fs::path state_file(const GenerateOutput& output) {
  return follow_links(fs::path(output.target).lexically_normal()).concat(".state");
}

std::optional<int64_t> threads_of_state(const GenerateOutput& output) {
  if (!output.resume || !output.can_continue() || !fs::exists(state_file(output))) return {};
  return load_stream_note(state_file(output)).order.threads;
}

bool is_taken(const fs::path& path) {
  const bool can_be_empty = fs::is_directory(path) || fs::is_regular_file(path);
  return fs::exists(path) && !(can_be_empty && fs::is_empty(path));
}

void check_files_beside(const GenerateOrder& order, const GenerateOutput& output) {
  for (const fs::path& file : files_of(output)) order_in_lock(lock_file(file));
  if (!output.can_continue() || !fs::exists(state_file(output))) return;
  output.overwrite ? check_is_state(state_file(output)) : void(is_named_by_state(output, order));
}

void check_own_files(const GenerateOrder& order, const GenerateOutput& output) {
  const bool has_state = output.can_continue() && is_named_by_state(output, order);
  if (output.is_file() && is_taken(output.target))
    check_own(output.target, word_in_video(output, order), has_state || is_named_by_lock(output.target, order));
  if (output.latents.empty()) return;
  for (const fs::path& file : {output.latents, latent_part_of(output.latents)})
    if (is_taken(file)) check_own(file, word_in_latents(file, order), is_named_by_lock(output.latents, order));
}

bool was_begun(const GenerateOrder& order, const GenerateOutput& output) {
  return output.is_file() && is_named_by_lock(output.target, order);
}

// The first constructor is complete by then, so the destructor removes new locks if this one throws.
VideoClaim::VideoClaim(const GenerateOutput& output) : VideoClaim() {
  for (const fs::path& file : files_of(output)) {
    std::optional<FileLock> lock = FileLock::try_take(lock_file(file));
    SGF_CHECK(lock.has_value(), "{}: another process is writing this file ({}); wait for it, or use another name",
              file.string(), lock_file(file).filename().string());
    locks_.push_back(std::move(*lock));
    order_in_lock(lock_file(file));  // only now: another process may have been writing it
  }
}

VideoClaim::~VideoClaim() {
  if (is_begun_) return;
  for (FileLock& lock : locks_) lock.remove_new_file();
}

void VideoClaim::begin(const GenerateOrder& order) {
  for (FileLock& lock : locks_) lock.write(order_text(order));
  is_begun_ = true;
}

void VideoClaim::end() {
  for (FileLock& lock : locks_) lock.remove_file();
}

void remove_stale_locks(const GenerateOutput& output) {
  for (const fs::path& file : files_of(output)) {
    order_in_lock(lock_file(file));
    remove_unheld(lock_file(file));
  }
}

}  // namespace sgf
