// A video small enough to be made again and again in tests.
#pragma once

#include "sgf/media/one_thread.h"
#include "sgf/streaming/generate.h"

#include <filesystem>
#include <functional>
#include <string>

namespace sgf {

// Of the shipped student, in pictures of 16 pixels and two steps a block.
struct TinyVideo {
  const OneThread one_thread;

  TinyVideo() {
    order.model = SGF_SOURCE_DIR "/models/world-small/student";
    order.config = load_config(order.model + "/config.yaml",
                               {"run.device=cpu", "run.dtype=float32", "run.seed=1", "video.height=4", "video.width=4",
                                "schedule.denoising_steps=[1000, 500]"},
                               {SGF_PRESETS});
    order.prompts = {{0, "a slow red disc and a slow green square on a grey field"},
                     {0.9, "a fast blue disc and a slow green square on a grey field"}};
    order.on_switch = PromptSwitch::kRecache;
    order.enlarge = 2;
    order.save_every = 3;
    parts = build_parts(order);
  }

  GenerateResult generate(const std::filesystem::path& file, int64_t blocks, bool resume = false,
                          const std::function<bool()>& should_stop = {}) const {
    return generate_video(
        order, parts, blocks,
        {.target = file.string(), .latents = latents_of(file), .resume = resume, .should_stop = should_stop});
  }

  static std::filesystem::path latents_of(std::filesystem::path file) { return file.replace_extension(".safetensors"); }

  GenerateOrder order;
  StreamParts parts;
};

}  // namespace sgf
