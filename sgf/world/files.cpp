#include "sgf/world/files.h"

#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/core/in_parallel.h"
#include "sgf/media/one_thread.h"
#include "sgf/media/video_tensor.h"
#include "sgf/world/caption.h"

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace sgf {
namespace {

constexpr int64_t kTruthClips = 4, kMostTruthFrames = 84;

// The upscale factor of a video of the world: 1, 2, 4 and so on; 0 if it has another size.
int64_t scale_of(const FrameSource& source, const WorldPreset& preset) {
  if (source.width() != source.height()) return 0;
  for (int64_t scale = 1; scale * preset.size <= source.width(); scale *= 2) {
    if (scale * preset.size == source.width()) return scale;
  }
  return 0;
}

// Names the world with frames of this size, if there is one.
std::string hint_for_size(const FrameSource& source) {
  for (const std::string& name : world_preset_names()) {
    if (scale_of(source, world_preset(name)) > 0) return fmt::format("; {} has this size", name);
  }
  return "";
}

void check_captioned_video(const CaptionedVideo& video, const WorldCaption& caption, const WorldPreset& preset) {
  SGF_CHECK(static_cast<int64_t>(caption.objects.size()) == preset.objects,
            "{} has {}, but the caption '{}' names {}; use {}", preset.name, counted(preset.objects, "object"),
            video.caption, caption.objects.size(), world_of_caption(caption).name);
  const std::unique_ptr<FrameSource> source = open_frames(video.file);
  SGF_CHECK(scale_of(*source, preset) > 0, "{} is {} x {}, but videos of {} are {} x {}, or 2, 4, 8 times as large{}",
            video.file.string(), source->width(), source->height(), preset.name, preset.size, preset.size,
            hint_for_size(*source));
}

// Reads in the world's own size, one frame at a time.
at::Tensor read_world_video(const std::filesystem::path& path, const WorldPreset& preset) {
  const std::unique_ptr<FrameSource> source = open_frames(path);
  const int64_t scale = scale_of(*source, preset);
  std::vector<at::Tensor> pictures;
  while (const std::optional<RgbImage> image = source->next()) pictures.push_back(shrink(tensor_of(*image), scale));
  return at::stack(pictures);
}

// True clips of a caption are measured once for all videos with this caption. Thread-safe.
class Truths {
 public:
  explicit Truths(const WorldPreset& preset) : preset_(preset) {}

  const SegmentScore& of(const WorldCaption& caption, int64_t video_frames) {
    const int64_t frames = std::min(video_frames, kMostTruthFrames);
    Entry& entry = entry_of({caption_text(caption), frames});
    std::call_once(entry.once, [&] { entry.score = score_of_truth(caption, preset_, frames, kTruthClips); });
    return entry.score;
  }

 private:
  using Key = std::pair<std::string, int64_t>;
  struct Entry {
    std::once_flag once;
    SegmentScore score;
  };

  Entry& entry_of(const Key& key) {
    const std::lock_guard lock(mutex_);
    return entries_[key];
  }

  const WorldPreset& preset_;
  std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

nlohmann::json value_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json object_json(const ObjectScore& object) {
  return {{"presence", object.presence},
          {"colour_error", value_or_null(object.colour_error)},
          {"identity_error", object.identity_error},
          {"hue_drift", value_or_null(object.hue_drift)},
          {"size_drift", value_or_null(object.size_drift)},
          {"pattern_error", value_or_null(object.pattern_error)},
          {"motion", object.motion}};
}

}  // namespace

std::vector<MeasuredVideo> measure_files(const std::vector<CaptionedVideo>& videos, const WorldPreset& preset,
                                         int64_t segments, const std::function<void(int64_t)>& done, int64_t threads) {
  SGF_CHECK(!videos.empty(), "no videos to measure");
  std::vector<WorldCaption> captions;
  for (const CaptionedVideo& video : videos) {
    captions.push_back(parse_caption(video.caption));
    check_captioned_video(video, captions.back(), preset);
  }
  const OneThread one_thread;
  Truths truths(preset);
  std::vector<MeasuredVideo> measured(videos.size());
  std::mutex mutex;
  int64_t finished = 0;
  in_parallel(static_cast<int64_t>(videos.size()), threads, [&](int64_t video) {
    const auto i = static_cast<size_t>(video);
    const at::Tensor pictures = read_world_video(videos[i].file, preset);
    SGF_CHECK(pictures.size(0) >= segments, "{} has {}, too few for {}; lower --segments", videos[i].file.string(),
              counted(pictures.size(0), "frame"), counted(segments, "segment"));
    measured[i] = {videos[i].file, caption_text(captions[i]),
                   measure(pictures, captions[i], preset, {.segments = segments}),
                   truths.of(captions[i], pictures.size(0))};
    const std::lock_guard lock(mutex);
    done(++finished);
  });
  return measured;
}

MeasuredVideo mean_video(const std::vector<MeasuredVideo>& videos) {
  SGF_CHECK(!videos.empty(), "the mean needs at least one video, got none");
  const auto mean = [&](const auto& score_of) {
    std::vector<SegmentScore> scores;
    for (const MeasuredVideo& video : videos) scores.push_back(score_of(video));
    return mean_score(scores);
  };
  MeasuredVideo result{.truth = mean([](const MeasuredVideo& v) { return v.truth; })};
  result.score.whole = mean([](const MeasuredVideo& v) { return v.score.whole; });
  for (size_t i = 0; i < videos.front().score.segments.size(); ++i) {
    result.score.segments.push_back(mean([&](const MeasuredVideo& v) { return v.score.segments.at(i); }));
  }
  return result;
}

nlohmann::json to_json(const SegmentScore& score) {
  nlohmann::json objects = nlohmann::json::array();
  for (const ObjectScore& object : score.objects) objects.push_back(object_json(object));
  return {{"frames", {score.frames.begin, score.frames.end}},
          {"valid", score.valid},
          {"count_right", score.count_right},
          {"background_error", score.background_error},
          {"background_drift", score.background_drift},
          {"landmark_drift", score.landmark_drift},
          {"rerender_error", score.rerender_error},
          {"motion_energy", score.motion_energy},
          {"sharpness", score.sharpness},
          {"objects", objects}};
}

nlohmann::json to_json(const MeasuredVideo& video) {
  nlohmann::json segments = nlohmann::json::array();
  for (const SegmentScore& segment : video.score.segments) segments.push_back(to_json(segment));
  return {{"file", video.file.string()},
          {"caption", video.caption},
          {"whole", to_json(video.score.whole)},
          {"segments", segments},
          {"truth", to_json(video.truth)}};
}

}  // namespace sgf
