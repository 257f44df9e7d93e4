// `sgf compare A_DIR B_DIR`: a page for raters who do not know which method made what.
#include "apps/compare.h"

#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "lab/preference/rater_page.h"
#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <memory>
#include <random>

namespace sgf {
namespace {

namespace fs = std::filesystem;

struct CompareArgs {
  std::string a, b, out = kDefaultStudyPage;
  std::vector<std::string> names;
  int64_t seed = -1;  // below 0: drawn
  double embed_mb = 100;
};

// Drawn where none is given: sides that follow from a seed everybody knows would not be blind.
int64_t drawn_seed() {
  std::random_device device;
  return static_cast<int64_t>(device() & 0x7FFFFFFF);
}

std::string folder_name(const std::string& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

std::array<std::string, 2> method_names(const CompareArgs& args) {
  if (args.names.size() == 2) return {args.names[0], args.names[1]};
  const std::string a = folder_name(args.a), b = folder_name(args.b);
  return a == b ? std::array<std::string, 2>{args.a, args.b} : std::array{a, b};
}

void say_left_out(const std::vector<LeftOutVideo>& videos) {
  for (const LeftOutVideo& video : videos)
    warn("skipped: {}: {}", shown_name(video.file.string()), shown_name(video.why));
}

// What would tell a rater the methods apart at a glance.
void say_differences(const std::vector<VideoPair>& pairs) {
  for (const auto& [a, b] : pairs) {
    if (a.width != b.width || a.height != b.height)
      warn("{} is {}x{} pixels, {} is {}x{}: raters can tell the methods apart", shown_name(a.file.string()), a.width,
           a.height, shown_name(b.file.string()), b.width, b.height);
    if (a.seconds && b.seconds && std::abs(*a.seconds - *b.seconds) > .1)
      warn("{} lasts {:.1f} s, {} lasts {:.1f} s: raters can tell the methods apart", shown_name(a.file.string()),
           *a.seconds, shown_name(b.file.string()), *b.seconds);
    if (a.file.extension() == ".webm" || b.file.extension() == ".webm")
      warn("{}: metadata of webm files is not removed from the copy in the page", shown_name(a.file.string()));
  }
}

fs::path key_beside(const fs::path& page) { return fs::path(page).replace_extension(".key.json"); }

// A key that is overwritten makes the answers to its page worthless.
void check_key_is_free(const fs::path& key, const BlindStudy& study) {
  if (!fs::exists(key)) return;
  SGF_CHECK(
      read_blind_study(key).id() == study.id(),
      "{} is the key of another study; name another page with --out, or pass --seed {} to write the same study again",
      key.string(), read_blind_study(key).seed);
}

void save_key(const fs::path& path, const BlindStudy& study) {
  AtomicFile file(path);
  file.write(to_json(study).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  file.commit();
}

void run_compare(const CompareArgs& args) {
  const FoundVideos a = find_paired_videos(args.a), b = find_paired_videos(args.b);
  say_left_out(a.unreadable);
  say_left_out(b.unreadable);
  const PairedVideos paired = pair_videos(a.videos, b.videos);
  say_left_out(paired.left_out);
  SGF_CHECK(!paired.pairs.empty(),
            "{} and {} have no pair; videos pair by the prompt and seed in their metadata, or by file name", args.a,
            args.b);
  say_differences(paired.pairs);
  const BlindStudy study = make_blind_study(paired.pairs, method_names(args), args.seed < 0 ? drawn_seed() : args.seed);
  const fs::path key = key_beside(args.out);
  check_key_is_free(key, study);
  save_key(key, study);
  const RaterPageFiles files =
      write_rater_page(study, {.page = args.out, .embed_bytes = static_cast<int64_t>(args.embed_mb * 1e6)});
  say("{}: {} pairs, {} of videos {}", args.out, study.pairs.size(),
      shown_bytes(static_cast<uint64_t>(files.video_bytes)),
      files.folder.empty() ? "inside the page" : "in " + files.folder.string() + ", which raters need too");
  say("{}: the key to which method is on which side; keep it from raters (seed {})", key.string(), study.seed);
  exit_with(a.unreadable.empty() && b.unreadable.empty() ? 0 : 1);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto args = std::make_shared<CompareArgs>();
  CLI::App* command = app.add_subcommand("compare", "Compare two methods blindly: page for raters, score of answers");
  command->add_option("a", args->a, "folder with the videos of method A (mp4, m4v, mov, webm)")->type_name("A_DIR");
  command->add_option("b", args->b, "folder with the videos of method B")->type_name("B_DIR");
  command
      ->add_option("--names", args->names, "names of the two methods for the key (default: the names of the folders)")
      ->type_name("A B")
      ->expected(2);
  command->add_option("--out", args->out, "page to write; the key is written beside it")
      ->type_name("FILE")
      ->capture_default_str();
  check_seed(*command->add_option("--seed", args->seed, "random seed of order and sides (default: drawn)"));
  command
      ->add_option("--embed-mb", args->embed_mb,
                   "largest total size of videos inside the page, in MB; larger ones go to a folder beside it")
      ->capture_default_str()
      ->check(number_from_zero());
  command->footer(
      "Examples:\n"
      "  sgf compare runs/sf/videos runs/sgf/videos --out page.html\n"
      "  sgf compare score answers-*.json --key page.key.json\n\n"
      "Videos pair by the prompt and seed in the metadata of sgf generate, else by file name. Give raters the page "
      "(and the folder of videos, if there is one), never the key. See docs/compare.md.\n\n"
      "Exit codes: 0 done; 1 failed, or a video could not be read and was skipped.");
  command->require_subcommand(0, 1);
  add_compare_score(*command);
  command->callback([args, command] {
    if (!command->get_subcommands().empty()) return;
    if (args->b.empty())
      misused(fmt::format("{} is missing; pass two folders of videos", args->a.empty() ? "A_DIR" : "B_DIR"));
    run_compare(*args);
  });
}

}  // namespace sgf
