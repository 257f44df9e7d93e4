#include "sgf/streaming/video_stream.h"

#include "sgf/assembly/conditioning.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/media/video_tensor.h"
#include "sgf/streaming/stream_parts.h"

namespace sgf {
namespace {

namespace fs = std::filesystem;

fs::path config_file(const VideoStreamSettings& settings) {
  const fs::path file = settings.config.empty() ? settings.model / "config.yaml" : settings.config;
  SGF_CHECK(fs::is_regular_file(file), "{} is missing: set `config` to a YAML file with window, schedule and size",
            file.string());
  return file;
}

Config config_of(const VideoStreamSettings& settings) {
  const fs::path file = config_file(settings);
  Config config = load_config(file, {}, {file.parent_path()});
  const bool is_cpu = device_from_name(settings.device).is_cpu();
  config.run.seed = settings.seed;
  config.run.device = is_cpu ? DeviceKind::kCpu : DeviceKind::kCuda;
  if (is_cpu) config.run.dtype = ComputeDtype::kFloat32;  // the dtype in configs is the fast one on a GPU
  validate(config);
  return config;
}

std::vector<TimedPrompt> prompts_of(const VideoStreamSettings& settings, const Config& config) {
  if (!settings.prompts.empty()) {
    check_timeline(settings.prompts);
    return settings.prompts;
  }
  SGF_CHECK(!config.data.world.empty(), "prompts must not be empty for a model of real videos");
  return {{0, world_prompts(config, 0, 1).front()}};
}

GenerateOrder order_of(const VideoStreamSettings& settings) {
  GenerateOrder order{.config = config_of(settings), .model = settings.model.string(), .wan = settings.wan.string()};
  order.prompts = prompts_of(settings, order.config);
  order.on_switch = settings.on_switch;
  return order;
}

}  // namespace

struct VideoStream::State {
  explicit State(const VideoStreamSettings& settings)
      : order(order_of(settings)),
        parts(build_parts(order, settings.warn)),
        session(*parts.dit, *parts.codec, stream_settings(order), encode_scenes(order, parts)) {}

  GenerateOrder order;
  StreamParts parts;
  StreamSession session;
};

VideoStream::VideoStream(const VideoStreamSettings& settings) : state_(std::make_unique<State>(settings)) {}
VideoStream::VideoStream(VideoStream&&) noexcept = default;
VideoStream& VideoStream::operator=(VideoStream&&) noexcept = default;
VideoStream::~VideoStream() = default;

std::vector<RgbImage> VideoStream::next() { return images_of(state_->session.next().pictures.squeeze(0)); }

double VideoStream::fps() const { return state_->order.config.video.fps; }
const std::vector<TimedPrompt>& VideoStream::prompts() const { return state_->order.prompts; }

}  // namespace sgf
