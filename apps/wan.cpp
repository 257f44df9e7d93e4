// `sgf wan make`: a Wan folder of random weights, to rehearse with.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "sgf/assembly/random_wan.h"
#include "sgf/core/error.h"
#include "sgf/core/in_parallel.h"
#include "sgf/core/progress_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <mutex>
#include <string>

namespace sgf {
namespace {

struct WanMakeArgs {
  std::string folder, size = "tiny", student, dtype = "float32";
  uint64_t seed = 0;
  int64_t threads = 0;
  bool overwrite = false, dry_run = false, quiet = false;
};

RandomWanOrder order_of(const WanMakeArgs& args) {
  RandomWanOrder order{.folder = args.folder,
                       .size = args.size,
                       .seed = args.seed,
                       .dit_dtype = args.dtype == "float32" ? DType::kF32 : DType::kBF16,
                       .student = std::nullopt};
  if (!args.student.empty()) order.student = args.student;
  return order;
}

void print_files(const std::vector<PlannedFile>& files) {
  Table table({"file", "size"});
  uint64_t total = 0;
  for (const PlannedFile& file : files) {
    table.add({file.path.string(), shown_bytes(file.bytes)});
    total += file.bytes;
  }
  table.add({"total", shown_bytes(total)});
  table.print();
}

void write_files(const std::vector<PlannedFile>& files, int64_t threads, bool quiet) {
  constexpr uint64_t kUnit = 1'000'000;
  uint64_t total = 0, done = 0;
  for (const PlannedFile& file : files) total += file.bytes;
  ProgressLine line(
      {.mode = progress_mode(quiet), .total_steps = static_cast<int64_t>(total / kUnit) + 1, .unit = "megabyte"},
      standard_progress_output());
  std::mutex mutex;
  const auto add = [&](uint64_t bytes) {
    const std::lock_guard lock(mutex);
    line.show({.step = static_cast<int64_t>((done += bytes) / kUnit)});
  };
  in_parallel(static_cast<int64_t>(files.size()), threads,
              [&](int64_t i) { files[static_cast<size_t>(i)].write(add); });
  line.finish();
}

void run_make(const WanMakeArgs& args) {
  if (args.folder.empty())
    misused("DIR is empty, expected a folder to write to; name one, for example wan_models/tiny");
  const std::vector<PlannedFile> files = plan_random_wan(order_of(args));
  check_random_wan(files, args.overwrite);
  print_files(files);
  if (args.dry_run) return;
  std::fflush(stdout);
  prepare_random_wan(files, args.overwrite);
  write_files(files, threads_for_files(args.threads), args.quiet);
  say("");
  say("all weights are random: videos show noise; sgf doctor {}{} says what you can run with them", args.folder,
      args.student.empty() ? "" : " " + args.student);
}

void add_make(CLI::App& wan) {
  auto args = std::make_shared<WanMakeArgs>();
  CLI::App* command =
      wan.add_subcommand("make", "Write a Wan folder of random weights, to rehearse without a download");
  command->add_option("folder", args->folder, "folder to write to")->type_name("DIR")->required();
  command
      ->add_option("--size", args->size, "sizes of the networks: tiny, or those of Wan2.1-T2V-1.3B or Wan2.1-T2V-14B")
      ->capture_default_str()
      ->check(CLI::IsMember(random_wan_sizes()));
  command
      ->add_option("--student", args->student,
                   "also write a causal few-step student as .pt with generator and generator_ema")
      ->type_name("FILE");
  command->add_option("--dtype", args->dtype, "element type of DiT and student; the official DiT has float32")
      ->capture_default_str()
      ->check(CLI::IsMember({"float32", "bfloat16"}));
  check_seed(*command->add_option("--seed", args->seed, "random seed")->capture_default_str());
  add_threads(*command, args->threads, kThreadPerFile);
  command->add_flag("--overwrite", args->overwrite, "overwrite existing files");
  command->add_flag("--dry-run", args->dry_run, "print the files and their sizes without writing");
  command->add_flag("--quiet", args->quiet, "no progress line");
  command->footer(
      "Examples:\n"
      "  sgf wan make wan_models/tiny --student checkpoints/chunkwise/ar/model.pt\n"
      "  sgf wan make wan_models/random-1.3B --size 1.3b --dry-run\n\n"
      "Names, layout, shapes and dtypes are the official ones; the tokenizer knows bytes, letters and a few words.");
  command->callback([args] { run_make(*args); });
}

}  // namespace

void add_wan(CLI::App& app) {
  CLI::App* wan = app.add_subcommand("wan", "Make Wan folders of random weights");
  wan->footer("Example:\n  sgf wan make wan_models/tiny");
  wan->require_subcommand(1);
  add_make(*wan);
}

}  // namespace sgf
