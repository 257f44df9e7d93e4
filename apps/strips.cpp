// `sgf strips VIDEO…`: videos as a figure, one row per video, one column per time.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/writable_folder.h"
#include "sgf/media/strip_figure.h"
#include "sgf/media/strip_letters.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace sgf {
namespace {

struct StripsArgs {
  std::vector<std::string> videos, rows;
  std::vector<double> times;
  int64_t columns = 6, height = 180;
  double fps = 16;
  std::string out;
};

std::vector<StripSource> strip_sources(const StripsArgs& args) {
  if (!args.rows.empty() && args.rows.size() != args.videos.size())
    misused(fmt::format("--rows must name every video, got {} for {}", counted(std::ssize(args.rows), "name"),
                        counted(std::ssize(args.videos), "video")));
  std::vector<StripSource> sources;
  for (size_t i = 0; i < args.videos.size(); ++i) {
    const std::filesystem::path video = std::filesystem::path(args.videos[i]).lexically_normal();
    const std::filesystem::path last = video.has_filename() ? video : video.parent_path();
    sources.push_back({video, args.rows.empty() ? last.stem().string() : args.rows[i], args.fps});
  }
  return sources;
}

std::vector<double> strip_times(const StripsArgs& args, const std::vector<StripSource>& sources) {
  if (args.times.empty()) return even_times(sources, args.columns);
  std::vector<double> times = args.times;
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

void say_missing(const StripRow& row, const std::vector<double>& times) {
  for (size_t i = 0; i < times.size(); ++i)
    if (!row.pictures[i])
      warn("{} has no frame at {}, it ends at {}", shown_name(row.name), time_label(times[i]), time_label(row.seconds));
}

void say_undrawable(const std::vector<StripSource>& sources) {
  for (const StripSource& source : sources)
    if (!is_drawable(source.name))
      warn("{}: only ASCII letters can be drawn, others become boxes; pass ASCII names with --rows",
           in_quotes(source.name));
}

void run_strips(const StripsArgs& args) {
  check_can_be_put(args.out);
  const std::vector<StripSource> sources = strip_sources(args);
  say_undrawable(sources);
  StripFigure figure{.times = strip_times(args, sources), .rows = {}};
  for (const StripSource& source : sources) {
    figure.rows.push_back(read_strip_row(source, figure.times, args.height));
    say_missing(figure.rows.back(), figure.times);
  }
  const RgbImage image = draw_strips(figure);
  write_png(args.out, image);
  say("{}: {} x {} pixels, {}, {}", args.out, image.width, image.height, counted(std::ssize(figure.rows), "row"),
      counted(std::ssize(figure.times), "time"));
}

}  // namespace

void add_strips(CLI::App& app) {
  auto args = std::make_shared<StripsArgs>();
  CLI::App* command = app.add_subcommand("strips", "Draw a figure of videos: one row per video, one column per time");
  command->add_option("videos", args->videos, "video files or folders of PNG files")->type_name("PATH")->required();
  command->add_option("--out", args->out, "PNG file to write; an existing file is replaced")
      ->type_name("FILE")
      ->required()
      ->check(has_extension(".png"));
  command->add_option("--rows", args->rows, "names of the rows, one per video (default: the file names)")
      ->type_name("NAME...");
  CLI::Option* times = command->add_option("--times", args->times, "times in seconds, for example 0,5,20,60")
                           ->type_name("X,X...")
                           ->delimiter(',');
  times->check(CLI::Range(0.0, 1e6));
  command->add_option("--columns", args->columns, "number of times, evenly spaced from the first frame to the last")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->excludes(times);
  command->add_option("--height", args->height, "height of a frame in pixels; the width keeps the aspect ratio")
      ->capture_default_str()
      ->check(CLI::Range(8, 4096));
  command->add_option("--fps", args->fps, "frames per second of PNG folders")
      ->capture_default_str()
      ->check(positive_number());
  command->footer(
      "Examples:\n"
      "  sgf strips sf.mp4 sgf.mp4 --rows SF SGF --out figure.png\n"
      "  sgf strips long.mp4 --times 0,5,20,60 --height 240 --out figure.png\n\n"
      "A time after the end of a video is drawn as a grey field and reported. Times use the mean frame rate of a file. "
      "Labels are drawn in ASCII.");
  command->callback([args] { run_strips(*args); });
}

}  // namespace sgf
