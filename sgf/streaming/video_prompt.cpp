#include "sgf/streaming/video_prompt.h"

#include "sgf/core/error.h"
#include "sgf/media/video_reader.h"
#include "sgf/streaming/frame_sinks.h"

namespace sgf {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> note_of(const fs::path& video) {
  std::error_code ignored;
  try {
    if (fs::is_directory(video, ignored)) return read_png_note(video);
    return can_read_videos() ? read_video_note(video) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<GenerateOrder> order_in_video(const fs::path& video) {
  return find_order(note_of(video).value_or(""), video.string());
}

std::optional<VideoPrompt> prompt_in_video(const fs::path& video) {
  const std::optional<GenerateOrder> order = order_in_video(video);
  if (!order) return std::nullopt;
  SGF_CHECK(order->prompts.size() == 1, "{} has {} prompts; choose one with --prompt TEXT", video.string(),
            order->prompts.size());
  return VideoPrompt{.prompt = order->prompts.front().prompt, .world = order->config.data.world};
}

}  // namespace sgf
