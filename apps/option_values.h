// Options that several commands share, and values that completion should offer.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sgf {

// --device auto|cpu|cuda|cuda:N; any other word is a misuse.
void add_device(CLI::App& command, std::string& device);

// --dtype float64|float32|bfloat16 and --attention auto|cudnn|flash|math, with the defaults they hold.
void add_precision(CLI::App& command, std::string& dtype, std::string& attention);

// Help and completion show these values; others are taken too.
void suggest(CLI::Option& option, const std::vector<std::string>& values);

}  // namespace sgf
