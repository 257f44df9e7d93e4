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

// --device auto|cpu|cuda|cuda:N; any other word is a misuse.
void add_device(CLI::App& command, std::string& device);

// --dtype float64|float32|bfloat16 and --attention auto|cudnn|flash|math, with the defaults they hold.
void add_precision(CLI::App& command, std::string& dtype, std::string& attention);

// --lora FILE[:SCALE], repeatable.
void add_loras(CLI::App& command, std::vector<std::string>& loras);

// For a --seed: 0 to 2^63 - 1 in decimal digits; anything else is a misuse.
void check_seed(CLI::Option& option);

// For a prompt: one without a word is a misuse.
CLI::Validator has_words();

// Checks of numbers: more than 0, and 0 or more. What is no number, NaN too, is a misuse.
CLI::Validator positive_number();
CLI::Validator number_from_zero();

// --shard 2/8: this one of many workers that share a folder. Anything else is refused when it is read.
void add_worker(CLI::App& command, std::string& share);
std::pair<int64_t, int64_t> worker_of(const std::string& share);  // 2 and 8

// Help and completion show these values; others are taken too.
void suggest(CLI::Option& option, const std::vector<std::string>& values);
void suggest_words(CLI::Option& option, const std::vector<std::string>& values);  // where files are not taken

// The heading in help of all options that have none yet.
void name_group(CLI::App& command, const std::string& heading);

}  // namespace sgf
