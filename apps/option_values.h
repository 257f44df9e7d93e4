// Options that several commands share, and values that completion should offer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace sgf {

// CONFIG, the positional argument; shells complete the bundled presets.
CLI::Option* add_config_argument(CLI::App& command, std::string& config,
                                 const std::string& words = "YAML file or preset");

// --set KEY=VALUE, repeatable; anything else is a misuse. `example` is such an override; `of` says what one key means.
void add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& example,
                   const std::string& of = "one key");

// --device auto|cpu|cuda; any other word is a misuse. CUDA_VISIBLE_DEVICES selects one GPU of several.
void add_device(CLI::App& command, std::string& device);
// The same where an empty `device` stands for another one: "run.device of the config".
void add_device(CLI::App& command, std::string& device, const std::string& default_device);

// --dtype float64|float32|bfloat16 and --attention auto|cudnn|flash|math; their current values are the defaults.
void add_precision(CLI::App& command, std::string& dtype, std::string& attention);

// --dtype of a command that reads a config; empty `dtype` stands for the default.
void add_dtype(CLI::App& command, std::string& dtype);

// --lora FILE[:SCALE], repeatable.
void add_loras(CLI::App& command, std::vector<std::string>& loras);

// For --seed: 0 to 2^63 - 1 in decimal digits; anything else is a misuse.
void check_seed(CLI::Option& option);

// For a prompt: text without a word is a misuse.
CLI::Validator has_words();

// For a file to write: another extension is a misuse. A slip must not replace a file of another kind, such as an input.
CLI::Validator has_extension(const std::string& extension);
// A check by a reader that throws an Error for text that it does not understand.
CLI::Validator readable_by(void (*read)(const std::string& text));

// Checks of numbers: above 0, and 0 or more. Anything that is not a number, including NaN, is a misuse.
CLI::Validator positive_number();
CLI::Validator number_from_zero();

// --shard 2/8: the index of this worker, and how many share the folder. worker_of throws for anything else.
void add_worker(CLI::App& command, std::string& share);
std::pair<int64_t, int64_t> worker_of(const std::string& share);  // 2 and 8

// Help and completion show these values; others are accepted too.
void suggest(CLI::Option& option, const std::vector<std::string>& values);
void suggest_words(CLI::Option& option, const std::vector<std::string>& values);  // if the value is not a file
void suggest_presets(CLI::Option& option);

// Sets the heading in the help of all options that have none yet.
void name_group(CLI::App& command, const std::string& heading);

}  // namespace sgf
