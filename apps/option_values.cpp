#include "apps/option_values.h"

#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/text_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>

namespace sgf {
namespace {

// A comparison with NaN is false, so that NaN is refused by all.
CLI::Validator number_check(const std::string& name, const std::string& words, bool (*is_good)(double)) {
  return {[=](const std::string& text) {
            double value = 0;
            const bool is_number = CLI::detail::lexical_cast(text, value);
            return is_number && is_good(value) ? std::string() : fmt::format("must be {}, got {}", words, text);
          },
          name};
}

}  // namespace

void add_device(CLI::App& command, std::string& device) {
  const auto refuse_others = [](const std::string& word) {
    return is_device_name(word) ? ""
                                : fmt::format("a device must be auto, cpu, cuda or cuda:N, got {}", in_quotes(word));
  };
  command.add_option("--device", device, "device to compute on: auto, cpu, cuda or cuda:N")
      ->capture_default_str()
      ->check(CLI::Validator(refuse_others, "{auto,cpu,cuda}"));
}

// CLI11 would take a number that is too large for the largest there is.
void check_seed(CLI::Option& option) {
  const auto refuse_others = [](const std::string& word) {
    int64_t seed = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
    const bool is_seed = error == std::errc() && end == word.data() + word.size() && seed >= 0;
    constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
    return is_seed ? "" : fmt::format("a seed must be an integer from 0 to {}, got {}", kLargest, in_quotes(word));
  };
  option.check(CLI::Validator(refuse_others, ""));
}

void add_loras(CLI::App& command, std::vector<std::string>& loras) {
  command
      .add_option("--lora", loras,
                  "LoRA file or PEFT folder to merge into the weights, with a scale as lora.pt:0.8 (default 1); "
                  "repeatable")
      ->type_name("FILE[:SCALE]")
      ->allow_extra_args(false);
}

void add_worker(CLI::App& command, std::string& share) {
  command.add_option("--shard", share, "index of this worker and number of workers, as 2/8 (index from 0)")
      ->type_name("I/N")
      ->capture_default_str();
}

std::pair<int64_t, int64_t> worker_of(const std::string& share) {
  const auto read = [](std::string_view part, int64_t& number) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    return !part.empty() && error == std::errc() && end == part.data() + part.size();
  };
  const std::string_view text = share;
  const size_t slash = text.find('/');
  int64_t worker = 0, workers = 1;
  SGF_CHECK(slash != std::string::npos && read(text.substr(0, slash), worker) && read(text.substr(slash + 1), workers),
            "--shard must be INDEX/WORKERS with the index from 0, as 2/8, got {}", in_quotes(share));
  return {worker, workers};
}

void suggest(CLI::Option& option, const std::vector<std::string>& values) {
  if (values.empty()) return;
  option.check(CLI::Validator([](const std::string&) { return std::string(); },
                              fmt::format("{{{}}} or a file", fmt::join(values, ","))));
}

void suggest_words(CLI::Option& option, const std::vector<std::string>& values) {
  option.check(
      CLI::Validator([](const std::string&) { return std::string(); }, fmt::format("{{{}}}", fmt::join(values, ","))));
}

void name_group(CLI::App& command, const std::string& heading) {
  for (CLI::Option* option : command.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_group() == "Options" && option != command.get_help_ptr()) option->group(heading);
  }
}

void add_precision(CLI::App& command, std::string& dtype, std::string& attention) {
  command.add_option("--dtype", dtype, "element type of the computation")
      ->capture_default_str()
      ->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
  command.add_option("--attention", attention, "attention implementation; auto = the fastest that fits")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "cudnn", "flash", "math"}));
}

CLI::Validator has_words() {
  return {[](std::string& prompt) {
            return trimmed(prompt).empty() ? fmt::format("a prompt has words in it, got {}", in_quotes(prompt))
                                           : std::string();
          },
          ""};
}

CLI::Validator positive_number() {
  return number_check("POSITIVE", "more than 0", [](double v) { return v > 0; });
}

CLI::Validator number_from_zero() {
  return number_check("NONNEGATIVE", "0 or more", [](double v) { return v >= 0; });
}

}  // namespace sgf
