#include "apps/option_values.h"

#include "sgf/assembly/preset_folders.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/text/prompt_cleaning.h"
#include "sgf/weights/lora_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <filesystem>
#include <limits>

namespace sgf {
namespace {

// A comparison with NaN is false, so that NaN is refused by all.
CLI::Validator number_check(const std::string& name, const std::string& words, bool (*is_good)(double)) {
  return {[=](const std::string& text) {
            double value = 0;
            const bool is_number = CLI::detail::lexical_cast(text, value);
            if (is_number && is_good(value)) return std::string();
            return is_number ? fmt::format("must be {}, got {}", words, text)
                             : fmt::format("must be a number {}, got {}", words, in_quotes(text));
          },
          name};
}

// A number after "cuda:" would have to reach every config and rank; the environment does that already.
std::string refuse_device(const std::string& word) {
  if (word == "auto" || word == "cpu" || word == "cuda") return "";
  const std::string number = is_device_name(word) ? word.substr(word.find(':') + 1) : "";
  return fmt::format("must be auto, cpu or cuda, got {}{}", in_quotes(word),
                     number.empty() ? "" : fmt::format("; CUDA_VISIBLE_DEVICES={} selects that GPU", number));
}

CLI::Validator device_check() {
  return {[](const std::string& word) { return refuse_device(word); }, "{auto,cpu,cuda}"};
}

}  // namespace

CLI::Option* add_config_argument(CLI::App& command, std::string& config, const std::string& words) {
  CLI::Option* option = command.add_option("config", config, words)->type_name("CONFIG");
  suggest_presets(*option);
  return option;
}

void add_device(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "device to compute on: auto, cpu or cuda")
      ->capture_default_str()
      ->check(device_check());
}

void add_device(CLI::App& command, std::string& device, const std::string& default_device) {
  command
      .add_option("--device", device,
                  fmt::format("device to compute on: auto, cpu or cuda (default: {})", default_device))
      ->check(device_check());
}

// CLI11 would take a number that is too large for the largest there is.
void check_seed(CLI::Option& option) {
  const auto refuse_others = [](const std::string& word) {
    int64_t seed = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
    const bool is_seed = error == std::errc() && end == word.data() + word.size() && seed >= 0;
    constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
    return is_seed ? "" : fmt::format("must be an integer from 0 to {}, got {}", kLargest, in_quotes(word));
  };
  option.check(CLI::Validator(refuse_others, ""));
}

void add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& example,
                   const std::string& of) {
  const auto refuse_others = [example](const std::string& text) {
    const size_t equals = text.find('=');
    return equals != 0 && equals != std::string::npos
               ? ""
               : fmt::format("must be KEY=VALUE, for example {}, got {}", example, in_quotes(text));
  };
  command.add_option("--set", overrides, fmt::format("override of {}, for example {}; repeatable", of, example))
      ->type_name("KEY=VALUE")
      ->check(CLI::Validator(refuse_others, ""))
      ->allow_extra_args(false);
}

void add_loras(CLI::App& command, std::vector<std::string>& loras) {
  command
      .add_option("--lora", loras,
                  "LoRA file or PEFT folder to merge into the weights, for example lora.pt:0.8 (default scale 1); "
                  "repeatable")
      ->type_name("FILE[:SCALE]")
      ->check(readable_by([](const std::string& text) { parse_lora_use(text); }))
      ->allow_extra_args(false);
}

void add_worker(CLI::App& command, std::string& share) {
  command.add_option("--shard", share, "worker index from 0 and number of workers, for example 2/8")
      ->type_name("I/N")
      ->check(readable_by([](const std::string& text) { worker_of(text); }))
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
            "--shard must be INDEX/WORKERS with the index from 0, for example 2/8, got {}", in_quotes(share));
  SGF_CHECK(workers >= 1 && worker >= 0 && worker < workers, "--shard I/N needs an index from 0 to N - 1, got {}",
            share);
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

void suggest_presets(CLI::Option& option) { suggest(option, preset_names()); }

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

void add_dtype(CLI::App& command, std::string& dtype) {
  command.add_option("--dtype", dtype, "element type of the computation (default: from the config, on a CPU float32)")
      ->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
}

CLI::Validator has_words() {
  return {[](std::string& prompt) {
            return has_words(prompt)
                       ? std::string()
                       : fmt::format("a prompt must contain at least one word, got {}", in_quotes(prompt));
          },
          ""};
}

CLI::Validator has_extension(const std::string& extension) {
  return {[extension](const std::string& file) {
            return std::filesystem::path(file).extension() == extension
                       ? std::string()
                       : fmt::format("must be the name of a {} file, got {}", extension, in_quotes(file));
          },
          ""};
}

CLI::Validator readable_by(void (*read)(const std::string& text)) {
  return {[read](const std::string& text) {
            try {
              read(text);
              return std::string();
            } catch (const Error& error) {
              return std::string(error.what());
            }
          },
          ""};
}

CLI::Validator positive_number() {
  return number_check("POSITIVE", "above 0", [](double v) { return v > 0; });
}

CLI::Validator number_from_zero() {
  return number_check("NONNEGATIVE", "0 or more", [](double v) { return v >= 0; });
}

}  // namespace sgf
