#include "apps/option_values.h"

#include "sgf/core/device.h"
#include "sgf/core/in_quotes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>

namespace sgf {

void add_device(CLI::App& command, std::string& device) {
  const auto refuse_others = [](const std::string& word) {
    return is_device_name(word) ? "" : fmt::format("a device is auto, cpu, cuda or cuda:N, got {}", in_quotes(word));
  };
  command.add_option("--device", device, "auto, cpu, cuda or cuda:N")
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
    return is_seed ? "" : fmt::format("a seed is a number from 0 to {}, got {}", kLargest, in_quotes(word));
  };
  option.check(CLI::Validator(refuse_others, ""));
}

void suggest(CLI::Option& option, const std::vector<std::string>& values) {
  if (values.empty()) return;
  option.check(CLI::Validator([](const std::string&) { return std::string(); },
                              fmt::format("{{{}}} or a file", fmt::join(values, ","))));
}

void add_precision(CLI::App& command, std::string& dtype, std::string& attention) {
  command.add_option("--dtype", dtype, "float64, float32 or bfloat16")
      ->capture_default_str()
      ->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
  command.add_option("--attention", attention, "auto, cudnn, flash or math")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "cudnn", "flash", "math"}));
}

}  // namespace sgf
