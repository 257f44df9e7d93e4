#include "lab/demo/demo_commands.h"

#include "sgf/core/shell_argument.h"

#include <fmt/format.h>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// Short where it lies below the working directory.
std::string path_word(const fs::path& path) {
  const fs::path near = fs::proximate(path);
  const bool is_below = !near.empty() && *near.begin() != "..";
  return shell_argument((is_below ? near : fs::absolute(path).lexically_normal()).string());
}

}  // namespace

std::vector<DemoCommand> next_commands(const DemoPlaces& places, const std::string& prompt) {
  const auto file = [&](const char* name) {
    return fmt::format("{}{}", name, places.has_videos ? ".mp4" : " --format png");
  };
  const std::string sgf = path_word(places.models / "sgf"), trained = path_word(places.out / places.trained);
  std::vector<DemoCommand> commands{
      {"Generate a video from your own prompt, of any length:",
       fmt::format("sgf generate --model {} --prompt \"a fast red disc and a slow blue square on a grey field\" "
                   "--seconds 30 --out {}",
                   sgf, file("mine"))},
      {"Generate a video with the model that was trained just now:",
       fmt::format("sgf generate --model {} --seconds 10 --out {}", trained, file("trained"))},
      {"Run the same training for ten times as many updates (runs/longer/report.html shows its progress):",
       fmt::format("sgf train {} --set train.steps={} --out runs/longer",
                   path_word(places.out / places.trained / "config.yaml"), 10 * places.steps)},
      {"List what the study of the two methods trains and measures, without running it:",
       "sgf study world-small --granularity chunkwise --dry-run"}};
  if (!places.has_videos) return commands;
  const fs::path videos = places.out / "videos";
  commands.push_back({"Compare SF and SGF blind:", fmt::format("sgf compare {} {} --out blind.html",
                                                               path_word(videos / "sf"), path_word(videos / "sgf"))});
  commands.push_back({"Score any video of the world against its caption:",
                      fmt::format("sgf world measure {} --preset {} --prompt {}", path_word(videos / "sgf" / "00.mp4"),
                                  places.world, shell_argument(prompt))});
  return commands;
}

}  // namespace sgf
