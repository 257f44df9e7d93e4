// `sgf redo VIDEO`: regenerates a video from its embedded metadata, and compares.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "sgf/assembly/start_file.h"
#include "sgf/core/error.h"
#include "sgf/files/bundled.h"
#include "sgf/files/file_lock.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/weight_identity.h"
#include "sgf/files/writable_folder.h"
#include "sgf/media/frame_source.h"
#include "sgf/media/video_fragments.h"
#include "sgf/media/video_reader.h"
#include "sgf/streaming/compare_videos.h"
#include "sgf/streaming/generate.h"
#include "sgf/streaming/order_loras.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace sgf {
namespace {

namespace fs = std::filesystem;

struct RedoArgs {
  std::string video, model, wan, out, device;
  std::vector<std::string> loras;
  int64_t threads = 0;
  bool show = false, json = false, quiet = false;
};

GenerateOrder order_in(const RedoArgs& args) {
  SGF_CHECK(fs::exists(args.video), "{}: this video does not exist", args.video);
  const std::optional<std::string> note = read_video_note(args.video);
  SGF_CHECK(note.has_value(),
            "{}: holds no metadata of sgf generate; only mp4 files of sgf generate can be regenerated", args.video);
  const std::optional<nlohmann::json> made_by = try_parse_json(*note);
  SGF_CHECK(made_by.has_value(), "{}: its metadata is not from sgf generate", args.video);
  return order_from_json(*made_by, args.video);
}

// The weights that made it: where they were, or where --model says; known by their content.
void find_weights(GenerateOrder& order, const RedoArgs& args) {
  if (!args.model.empty()) order.model = find_bundled(args.model).string();
  if (!args.wan.empty()) order.wan = args.wan;
  SGF_CHECK(fs::exists(order.model), "{}: weights not found; pass their new path with --model FILE", order.model);
  const std::string found = weight_identity(open_tensor_file(find_start_file(order.model).path));
  SGF_CHECK(
      found == order.model_identity,
      "{} differs from the weights that made the video (hash {}..., expected {}...); pass the right file with --model",
      order.model, found.substr(0, 12), order.model_identity.substr(0, 12));
  find_loras(order, args.loras);
}

int64_t blocks_in(const RedoArgs& args, const Config& config) {
  const int64_t pictures = scan_grown_video(args.video).pictures;
  int64_t blocks = 0;
  while (pictures_for(blocks + 1, config) <= pictures) ++blocks;
  SGF_CHECK(blocks > 0, "{}: holds {} frames, less than one block", args.video, pictures);
  return blocks;
}

// Scalars and lists as JSON, which YAML reads; the config below them as `sgf config --resolved` prints it.
std::string order_yaml(const GenerateOrder& order) {
  const nlohmann::json fields = to_json(order);
  std::string text;
  for (const auto& [key, value] : fields.items())
    if (key != "config") text += fmt::format("{}: {}\n", key, json_line(value));
  text += "config:\n";
  std::istringstream config(to_yaml(order.config));
  for (std::string line; std::getline(config, line);) text += (line.empty() ? "" : "  " + line) + "\n";
  return text;
}

void show_order(const GenerateOrder& order, bool as_json) {
  if (as_json)
    say_json(to_json(order));
  else
    print_lines(stdout, order_yaml(order));
}

// The exit code.
int say_difference(const VideoDifference& difference, bool as_json) {
  const bool is_identical = difference.is_identical();
  if (as_json) {
    say_json({{"identical", is_identical},
              {"frames", difference.pictures},
              {"largest", difference.largest},
              {"mean", difference.mean},
              {"first", difference.first_picture ? nlohmann::json(*difference.first_picture) : nlohmann::json()},
              {"one_is_longer", difference.only_first + difference.only_second > 0}});
  } else if (is_identical) {
    say("identical: all {} frames", difference.pictures);
  } else {
    say("differs: {} frames compared, largest difference {} of 255, mean {:.4f}, first at frame {}{}",
        difference.pictures, difference.largest, difference.mean,
        difference.first_picture ? std::to_string(*difference.first_picture) : "-",
        difference.only_first + difference.only_second > 0 ? "; one video is longer" : "");
  }
  return is_identical ? 0 : 1;
}

// The video made again where nobody named a file: it goes with what belongs to it, also after an error.
class Temporary {
 public:
  // What an interrupted redo left has a lock beside it; anything else of that name is kept.
  explicit Temporary(fs::path video) : video_(std::move(video)) {
    SGF_CHECK(!fs::exists(video_) || fs::exists(beside(".lock")),
              "{} exists, which this command uses for a temporary file; rename it, or name another file with --out",
              video_.string());
    SGF_CHECK(!fs::exists(beside(".lock")) || FileLock::try_take(beside(".lock")),
              "{}: another process is writing this file", video_.string());
  }
  ~Temporary() {
    std::error_code ignored;
    for (const fs::path& file : {video_, beside(".state"), beside(".lock")}) fs::remove(file, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

 private:
  fs::path beside(const char* ending) const { return video_.string() + ending; }

  fs::path video_;
};

// Metadata can be edited: frames of another size would take memory and time before they differ.
void check_frame_size(const GenerateOrder& order, const std::string& video) {
  const PictureSize size = picture_size(order.config);
  const std::unique_ptr<FrameSource> frames = open_frames(video);
  SGF_CHECK(frames->width() == size.width * order.enlarge && frames->height() == size.height * order.enlarge,
            "{}: its metadata describes frames of {}x{}, but its frames are {}x{}", video, size.width * order.enlarge,
            size.height * order.enlarge, frames->width(), frames->height());
}

void run_redo(const RedoArgs& args) {
  GenerateOrder order = order_in(args);
  if (args.show) return show_order(order, args.json);
  check_frame_size(order, args.video);
  if (!args.out.empty()) check_can_be_put(args.out);
  find_weights(order, args);
  if (!args.device.empty()) order.config.run.device = *enum_from_name<DeviceKind>(args.device);
  order.threads = threads_as_stored(args.threads, order.threads, args.video);
  use_threads(order.threads);
  const int64_t blocks = blocks_in(args, order.config);
  GenerateOutput output{.target = args.out.empty() ? args.video + ".redo.mp4" : args.out};
  SGF_CHECK(args.out.empty() || !fs::exists(output.target), "{} already exists; name another file with --out",
            output.target);
  std::optional<Temporary> temporary;
  if (args.out.empty()) temporary.emplace(output.target);
  output.overwrite = true;
  ProgressLine line(
      {.mode = progress_mode(args.quiet), .total_steps = pictures_for(blocks, order.config), .unit = "frame"},
      standard_progress_output());
  output.progress = [&](int64_t done) { line.show({.step = done}); };
  generate_video(order, build_parts(order), blocks, output);
  line.finish();
  const VideoDifference difference = compare_videos(args.video, output.target);
  temporary.reset();
  exit_with(say_difference(difference, args.json));
}

}  // namespace

void add_redo(CLI::App& app) {
  auto args = std::make_shared<RedoArgs>();
  CLI::App* command = app.add_subcommand("redo", "Regenerate a video from its embedded metadata, and compare");
  command->add_option("video", args->video, "mp4 file of sgf generate")->type_name("VIDEO")->required();
  command->add_option("--model", args->model, "weight file, if it has moved (default: as in the metadata)")
      ->type_name("MODEL");
  command
      ->add_option("--lora", args->loras,
                   "LoRA, if it has moved; all of them in their order (default: as in the metadata)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("--wan", args->wan, "Wan folder, if it has moved (default: as in the metadata)")
      ->type_name("DIR");
  command->add_option("--out", args->out, "file to keep the new video in (default: removed after the comparison)")
      ->type_name("FILE");
  add_device(*command, args->device, "from the video");
  add_threads(*command, args->threads, "default: as stored in the video, else torch's default");
  command->add_flag("--show", args->show, "print the metadata as YAML, then exit");
  command->add_flag("--json", args->json, "result, or with --show the metadata, as one JSON object");
  command->add_flag("--quiet", args->quiet, "no progress line");
  command->footer(
      "Examples:\n"
      "  sgf redo world.mp4\n"
      "  sgf redo world.mp4 --model models/world-small/sgf --out again.mp4\n\n"
      "The same program on the same kind of machine gives identical frames. Another device or number of threads may "
      "round differently.\n\n"
      "Exit codes: 0 identical; 1 different, or failed.");
  command->callback([args] { run_redo(*args); });
}

}  // namespace sgf
