// `sgf strips VIDEO…`: videos as a figure, a row each, a column a time.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
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
  SGF_CHECK(args.rows.empty() || args.rows.size() == args.videos.size(),
            "--rows names every video: {} names came for {} videos", args.rows.size(), args.videos.size());
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
      warn("{} has no picture at {}: it ends at {}", shown_name(row.name), time_label(times[i]),
           time_label(row.seconds));
}

void say_undrawable(const std::vector<StripSource>& sources) {
  for (const StripSource& source : sources)
    if (!is_drawable(source.name))
      warn("the figure has letters of ASCII alone, boxes stand for the others in {}; --rows gives names",
           in_quotes(source.name));
}

void run_strips(const StripsArgs& args) {
  const std::vector<StripSource> sources = strip_sources(args);
  say_undrawable(sources);
  StripFigure figure{.times = strip_times(args, sources), .rows = {}};
  for (const StripSource& source : sources) {
    figure.rows.push_back(read_strip_row(source, figure.times, args.height));
    say_missing(figure.rows.back(), figure.times);
  }
  const RgbImage image = draw_strips(figure);
  write_png(args.out, image);
  say("{}: {} x {} pixels, {} rows, {} times", args.out, image.width, image.height, figure.rows.size(),
      figure.times.size());
}

}  // namespace

void add_strips(CLI::App& app) {
  auto args = std::make_shared<StripsArgs>();
  CLI::App* command = app.add_subcommand("strips", "A figure of videos: a row a video, a column a time");
  command->add_option("videos", args->videos, "Video files, or folders of PNG files")->required();
  command->add_option("--out", args->out, "The PNG file")->required();
  command->add_option("--rows", args->rows, "Names of the rows, as many as videos; those of the files by default");
  CLI::Option* times = command->add_option("--times", args->times, "Seconds, as 0,5,20,60")->delimiter(',');
  times->check(CLI::Range(0.0, 1e6));
  command->add_option("--columns", args->columns, "So many times, evenly from the first picture to the last")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->excludes(times);
  command->add_option("--height", args->height, "Pixels of a picture; its width keeps the aspect")
      ->capture_default_str()
      ->check(CLI::Range(8, 4096));
  command->add_option("--fps", args->fps, "Pictures a second of PNG folders, which do not say")
      ->capture_default_str()
      ->check(positive_number());
  command->footer(
      "A time that a video does not reach is a grey field, and is said. Times count by the mean frame rate of a file.\n"
      "Labels are ASCII.");
  command->callback([args] { run_strips(*args); });
}

}  // namespace sgf
