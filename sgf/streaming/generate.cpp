#include "sgf/streaming/generate.h"

#include "sgf/core/device_memory.h"
#include "sgf/core/error.h"
#include "sgf/core/gibibytes.h"
#include "sgf/files/atomic_file.h"
#include "sgf/media/latent_file.h"
#include "sgf/media/video_tensor.h"
#include "sgf/streaming/stream_file.h"
#include "sgf/vae/latents_file.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

namespace fs = std::filesystem;

struct VideoFiles {
  std::unique_ptr<FrameSink> pictures;
  std::unique_ptr<LatentFile> latents;  // if --latents is given
};

SinkSettings sink_settings(const GenerateOrder& order) {
  const PictureSize size = picture_size(order.config);
  return {.width = size.width * order.enlarge,
          .height = size.height * order.enlarge,
          .fps = order.config.video.fps,
          .crf = order.crf,
          .note = order_text(order),
          .mark = mark_of(order)};
}

LatentFileSettings latent_file_settings(const GenerateOrder& order) {
  LatentFileSettings settings{.channels = order.config.model.in_dim,
                              .height = order.config.video.height,
                              .width = order.config.video.width,
                              .metadata = metadata_of({.fps = order.config.video.fps})};
  settings.metadata["note"] = order_text(order);
  return settings;
}

// A continued file is checked here and changed only when the first block comes.
VideoFiles open_files(const GenerateOrder& order, const GenerateOutput& output,
                      const std::optional<SavedStream>& saved) {
  const bool has_latents = !output.latents.empty();
  SGF_CHECK(!saved || !has_latents || saved->note.latents.bytes > 0,
            "{} was started without --latents: continue it without --latents", output.target);
  SGF_CHECK(!saved || !output.is_file() || fs::exists(output.target),
            "{} is missing, but its saved state {} is there; restore the video, or use --overwrite to start again",
            output.target, state_file(output).string());
  VideoFiles files;
  if (has_latents)
    files.latents = std::make_unique<LatentFile>(output.latents, latent_file_settings(order),
                                                 saved ? MaybePlace(saved->note.latents) : MaybePlace());
  const SinkKind kind = sink_kind_of(output.target, output.format);
  const bool clears_folder =
      kind == SinkKind::kPng && fs::is_directory(output.target);  // its frames may be removed at this point
  const MaybePlace from = saved           ? MaybePlace(saved->note.pictures)
                          : clears_folder ? MaybePlace(SinkPlace())
                                          : MaybePlace();
  files.pictures = open_sink(output.target, kind, sink_settings(order), from);
  return files;
}

std::optional<SavedStream> earlier_start(const GenerateOrder& order, const GenerateOutput& output) {
  if (!output.resume || !output.can_continue() || !fs::exists(state_file(output))) return {};
  SavedStream saved = load_stream(state_file(output));
  const std::vector<std::string> different = differences(saved.note.order, order);
  SGF_CHECK(different.empty(), "{} belongs to another video: {}; use --overwrite to start again",
            state_file(output).string(), fmt::join(different, "; "));
  if (saved.note.pictures.pictures == 0) return {};
  return saved;
}

// A new video must not replace files of another one without --overwrite.
void check_free(const GenerateOrder& order, const GenerateOutput& output) {
  check_files_beside(order, output);
  if (output.overwrite) return;
  if (output.resume) return check_own_files(order, output);
  SGF_CHECK(!output.is_file() || !is_taken(output.target),
            "{} already exists; pass --continue to resume it, --overwrite, or another name with --out", output.target);
  for (const fs::path& file : {output.latents, latent_part_of(output.latents)})
    SGF_CHECK(output.latents.empty() || !is_taken(file),
              "{} already exists; pass --overwrite, or another name with --latents", file.string());
}

// Before the first change: the locks name the order, and states of other videos are removed.
void begin_files(VideoClaim& claim, const GenerateOrder& order, const GenerateOutput& output) {
  claim.begin(order);
  if (output.can_continue()) fs::remove(state_file(output));
}

// Incomplete states of killed starts, under temporary names.
void sweep_states(const GenerateOutput& output) {
  if (!output.can_continue()) return;
  const fs::path state = state_file(output), folder = state.has_parent_path() ? state.parent_path() : ".";
  sweep_half_written(folder, [&](const std::string& name) { return name == state.filename().string(); });
}

// A state is damaged if its parts disagree.
void check_counts(const SavedStream& saved, const SceneStream& stream, const GenerateOutput& output) {
  const int64_t frames = stream.blocks() > 0 ? stream.pictures_after(stream.blocks()) : 0;
  SGF_CHECK(frames == saved.note.pictures.pictures,
            "{} is damaged: its {} blocks make {} frames, but the file has {}; use --overwrite to start "
            "again",
            state_file(output).string(), stream.blocks(), frames, saved.note.pictures.pictures);
}

at::Tensor enlarged(const at::Tensor& pictures, int64_t times) {
  return times == 1 ? pictures : pictures.repeat_interleave(times, 2).repeat_interleave(times, 3);
}

void add_memory(StreamSpeed& speed, c10::Device device) {
  speed.device = device.str();
  speed.host_gib = gib_of(peak_memory_bytes(c10::Device("cpu")));
  if (!device.is_cpu()) speed.device_gib = gib_of(peak_memory_bytes(device));
}

// The frames that exist already.
int64_t take_up(const SavedStream& saved, StreamSession& session, const GenerateOutput& output) {
  session.latents().restore(saved.snapshot.latents);
  session.decoder().restore(saved.snapshot.decoder);
  check_counts(saved, session.latents(), output);
  return saved.note.pictures.pictures;
}

bool is_saved(const GenerateOrder& order, const GenerateOutput& output) {
  return output.can_continue() && order.save_every > 0;
}

void write_block(const DeliveredBlock& block, const GenerateOrder& order, const GenerateOutput& output,
                 VideoFiles& files) {
  files.pictures->add(enlarged(block.pictures, order.enlarge));
  if (files.latents) files.latents->add(block.latents);
  if (!block.snapshot || !is_saved(order, output)) return;
  save_stream(state_file(output), {.note = {.order = order,
                                            .pictures = files.pictures->sync(),
                                            .latents = files.latents ? files.latents->sync() : SinkPlace()},
                                   .snapshot = *block.snapshot});
}

void finish_files(VideoFiles& files, VideoClaim& claim, const GenerateOutput& output) {
  files.pictures->finish();
  if (files.latents) files.latents->finish();
  if (output.can_continue()) fs::remove(state_file(output));
  claim.end();
}

}  // namespace

GenerateResult generate_video(const GenerateOrder& asked, const StreamParts& parts, int64_t blocks,
                              const GenerateOutput& output) {
  VideoClaim claim(output);
  std::optional<SavedStream> saved = earlier_start(asked, output);
  const GenerateOrder order = saved ? saved->note.order : asked;  // the saved order names the build that started it
  StreamSession session(*parts.dit, *parts.codec, stream_settings(order), encode_scenes(order, parts),
                        given_of(order, parts));
  GenerateResult result;
  if (saved) {
    result.resumed_from = take_up(*saved, session, output);
  } else {
    check_free(order, output);
    begin_files(claim, order, output);
  }
  VideoFiles files = open_files(order, output, saved);
  if (saved) claim.begin(order);
  saved.reset();
  sweep_states(output);
  const StreamRunSettings run{.blocks = blocks,
                              .snapshot_every = is_saved(order, output) ? order.save_every : 0,
                              .should_stop = output.should_stop};
  const auto deliver = [&](const DeliveredBlock& block) {
    write_block(block, order, output, files);
    if (output.progress) output.progress(session.latents().pictures_after(block.index + 1));
  };
  if (session.latents().blocks() < blocks)
    result.speed = run_stream(session.latents(), session.decoder(), run, deliver);
  add_memory(result.speed, parts.device);
  result.blocks = session.latents().blocks();
  result.pictures = session.latents().pictures_after(result.blocks);
  result.is_whole = result.blocks >= blocks;
  if (result.is_whole)
    finish_files(files, claim, output);
  else if (output.can_continue() && fs::exists(state_file(output)))
    claim.end();  // the state names the order
  return result;
}

}  // namespace sgf
