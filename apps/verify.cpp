// `sgf verify FILE…`: replays reference recordings and prints how far this program is from them.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/first_line.h"
#include "sgf/kernels/dense_attention.h"
#include "sgf/verify/recording.h"
#include "sgf/verify/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sgf {
namespace {

struct VerifyArgs {
  std::vector<std::string> files;
  std::string dtype = "float64";
  std::string device = "auto";
  std::string attention = "auto";
  std::optional<double> tolerance;
  int64_t threads = 0;
  bool json = false;
};

ReplayOptions replay_options(const VerifyArgs& args) {
  ReplayOptions options;
  options.dtype = scalar_type_from_name(args.dtype);
  options.device = device_from_name(args.device);
  options.attention = attention_backend_from_name(args.attention);
  SGF_CHECK(!args.tolerance || (*args.tolerance >= 0 && std::isfinite(*args.tolerance)),
            "--tolerance must be a finite number of at least 0, got {}", args.tolerance.value_or(0));
  options.tolerance = args.tolerance;
  return options;
}

void add_rows(Table& table, const VerifyResult& result) {
  const std::string name = std::filesystem::path(result.file).stem().string();
  for (const TensorError& error : result.tensors)
    table.add({result.kind, name, result.dtype, error.name, shown_error(error.max_abs),
               error.reference_is_zero ? "zero ref" : shown_error(error.rel_l2), error.holds ? "ok" : "FAIL"});
}

// One file, as a row of results or an error: the others go on.
struct Outcome {
  std::optional<VerifyResult> result;
  std::string error;
};

Outcome verify_one(const std::string& file, const ReplayOptions& options) {
  try {
    return {verify_recording(file, options), ""};
  } catch (const Error& error) {  // names the file
    return {std::nullopt, error.what()};
  } catch (const std::exception& error) {
    return {std::nullopt, file + ": " + first_line(error)};
  }
}

// What the file calls itself, as far as it can be read.
nlohmann::json stated_kind(const std::string& file) {
  try {
    return Recording::open(file).kind();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Every line has the same keys, also where the replay could not be made; why it could not, stderr says.
nlohmann::json failed_line(const std::string& file, const ReplayOptions& options) {
  return {{"file", file},
          {"kind", stated_kind(file)},
          {"dtype", name_of(options.dtype)},
          {"device", options.device.str()},
          {"tensors", nlohmann::json::array()},
          {"ok", false}};
}

void print_json(const std::string& file, const Outcome& outcome, const ReplayOptions& options) {
  const nlohmann::json line = outcome.result ? to_json(*outcome.result) : failed_line(file, options);
  // File names and messages may hold bytes that are no UTF-8.
  say_json(line);
  std::fflush(stdout);
}

int run_verify(const VerifyArgs& args) {
  use_threads(args.threads);
  const ReplayOptions options = replay_options(args);
  Table table({"kind", "case", "dtype", "tensor", "max abs", "rel-L2", "verdict"});
  size_t passed = 0;
  std::set<std::string> backends;
  for (const std::string& file : args.files) {
    const Outcome outcome = verify_one(file, options);
    if (outcome.result && outcome.result->ok) ++passed;
    if (outcome.result && !outcome.result->attention.empty()) backends.insert(outcome.result->attention);
    if (args.json)
      print_json(file, outcome, options);
    else if (outcome.result)
      add_rows(table, *outcome.result);
    if (!outcome.result) warn("{}", outcome.error);
  }
  if (!args.json) {
    if (!table.is_empty()) table.print();
    say("{} of {} recordings match ({}, {}{}{})", passed, args.files.size(), args.dtype, options.device.str(),
        backends.empty() ? "" : ", attention ", fmt::join(backends, " and "));
  }
  return passed == args.files.size() ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app) {
  auto args = std::make_shared<VerifyArgs>();
  CLI::App* command = app.add_subcommand("verify", "Replay reference recordings and compare, tensor by tensor");
  command->footer(
      "Examples:\n"
      "  sgf verify tests/data/reference/*.safetensors\n"
      "  sgf verify --dtype bfloat16 --device cuda recording.safetensors --json\n\n"
      "Exit codes: 0 all recordings match; 1 a tensor is off by more than the tolerance, or a file failed.");
  command->add_option("files", args->files, "recordings (.safetensors) of tools/record_reference.py")
      ->type_name("FILE")
      ->required();
  add_precision(*command, args->dtype, args->attention);
  add_device(*command, args->device);
  add_threads(*command, args->threads, kAllCores);
  command
      ->add_option("--tolerance", args->tolerance,
                   "largest relative L2 error (default: 1e-10 in float64, 1e-5 in float32, 3e-2 in bfloat16; umt5 in "
                   "bfloat16 5e-2)")
      ->check(number_from_zero());
  command->add_flag("--json", args->json, "results as JSON, one object per file");
  command->callback([args] { exit_with(run_verify(*args)); });
}

}  // namespace sgf
