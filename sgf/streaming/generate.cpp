#include "sgf/streaming/generate.h"

#include "sgf/core/device_memory.h"
#include "sgf/core/error.h"
#include "sgf/data/latent_file.h"
#include "sgf/data/video_tensor.h"
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
  std::unique_ptr<LatentFile> latents;  // where they are asked for
};

VideoFiles open_files(const GenerateOrder& order, const GenerateOutput& output,
                      const std::optional<SavedStream>& saved) {
  const PictureSize size = picture_size(order.config);
  const std::string note = to_json(order).dump();
  const SinkSettings settings{.width = size.width * order.enlarge,
                              .height = size.height * order.enlarge,
                              .fps = order.config.video.fps,
                              .crf = order.crf,
                              .note = note};
  const SinkKind kind = sink_kind_of(output.target, output.format);
  const bool may_clear = output.overwrite || (output.resume && fs::exists(state_file(output)));  // which is a mark then
  const bool clears_folder = kind == SinkKind::kPng && may_clear && fs::is_directory(output.target);
  const MaybePlace from = saved ? MaybePlace(saved->pictures) : clears_folder ? MaybePlace(SinkPlace()) : MaybePlace();
  VideoFiles files{open_sink(output.target, kind, settings, from)};
  if (output.latents.empty()) return files;
  LatentFileSettings latents{.channels = order.config.model.in_dim,
                             .height = order.config.video.height,
                             .width = order.config.video.width,
                             .metadata = metadata_of({.fps = order.config.video.fps})};
  latents.metadata["note"] = note;
  check(!saved || saved->latents.bytes > 0, "streaming", "{} was begun without --latents: go on without, too",
        output.target);
  files.latents =
      std::make_unique<LatentFile>(output.latents, latents, saved ? MaybePlace(saved->latents) : MaybePlace());
  return files;
}

std::optional<SavedStream> earlier_start(const GenerateOrder& order, const GenerateOutput& output) {
  if (!output.resume || !fs::exists(state_file(output))) return {};
  SavedStream saved = load_stream(state_file(output));
  const std::vector<std::string> different = differences(saved.order, order);
  check(different.empty(), "streaming", "{} belongs to another video: {}; --overwrite begins anew",
        state_file(output).string(), fmt::join(different, "; "));
  if (saved.pictures.pictures == 0) return {};
  return saved;
}

// From here on --continue knows whose file it is, though there is nothing to go on from yet.
void mark_beginning(const GenerateOrder& order, const GenerateOutput& output) {
  fs::remove(state_file(output));  // of another video under this name
  if (order.save_every > 0 && output.target != "-") save_stream(state_file(output), {.order = order});
}

at::Tensor enlarged(const at::Tensor& pictures, int64_t times) {
  return times == 1 ? pictures : pictures.repeat_interleave(times, 2).repeat_interleave(times, 3);
}

double gib(int64_t bytes) { return static_cast<double>(bytes) / (int64_t{1} << 30); }

void add_surroundings(StreamSpeed& speed, c10::Device device) {
  speed.device = device.str();
  speed.host_gib = gib(peak_memory_bytes(c10::Device("cpu")));
  if (!device.is_cpu()) speed.device_gib = gib(peak_memory_bytes(device));
}

}  // namespace

fs::path state_file(const GenerateOutput& output) {
  fs::path path = fs::path(output.target).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path += ".state";
}

GenerateResult generate_video(const GenerateOrder& asked, const StreamParts& parts, int64_t blocks,
                              const GenerateOutput& output) {
  std::optional<SavedStream> saved = earlier_start(asked, output);
  const GenerateOrder order = saved ? saved->order : asked;  // the file says which build began it
  const StreamSettings settings{.latents = latent_settings(order),
                                .fps = order.config.video.fps,
                                .seed = static_cast<uint64_t>(order.config.run.seed),
                                .video = order.number};
  StreamSession session(*parts.dit, *parts.codec, settings, encode_scenes(order, parts), given_of(order, parts));
  VideoFiles files = open_files(order, output, saved);  // once nothing else can fail: it may replace a file
  if (!saved) mark_beginning(order, output);
  GenerateResult result;
  if (saved) {
    session.latents().restore(saved->snapshot.latents);
    session.decoder().restore(saved->snapshot.decoder);
    result.resumed_from = saved->pictures.pictures;
    saved.reset();
  }
  const auto deliver = [&](const DeliveredBlock& block) {
    files.pictures->add(enlarged(block.pictures, order.enlarge));
    if (files.latents) files.latents->add(block.latents);
    if (output.progress) output.progress(session.latents().pictures_after(block.index + 1));
    if (!block.snapshot || output.target == "-") return;
    save_stream(state_file(output),
                {order, *block.snapshot, files.pictures->sync(), files.latents ? files.latents->sync() : SinkPlace()});
  };
  if (session.latents().blocks() < blocks) {
    result.speed = run_stream(session.latents(), session.decoder(),
                              {.blocks = blocks,
                               .snapshot_every = output.target == "-" ? 0 : order.save_every,
                               .should_stop = output.should_stop},
                              deliver);
  }
  add_surroundings(result.speed, parts.device);
  result.blocks = session.latents().blocks();
  result.pictures = session.latents().pictures_after(result.blocks);
  result.is_whole = result.blocks >= blocks;
  if (!result.is_whole) return result;
  files.pictures->finish();
  if (files.latents) files.latents->finish();
  fs::remove(state_file(output));
  return result;
}

}  // namespace sgf
