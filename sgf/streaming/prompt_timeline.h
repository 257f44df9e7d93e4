// What changes in a stream over time: its prompts, the effect of a prompt switch on its cache, its seed. Torch-free.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

enum class PromptSwitch {
  kKeep,     // only the text changes, the cache stays
  kRecache,  // the window is rewritten to the cache with the new prompt
  kNewSink,  // the first blocks after the change become the sink
};

constexpr auto enum_names(PromptSwitch) {
  return std::array{EnumName{PromptSwitch::kKeep, "keep"}, EnumName{PromptSwitch::kRecache, "recache"},
                    EnumName{PromptSwitch::kNewSink, "new-sink"}};
}

// A prompt from this time on, until the next one.
struct TimedPrompt {
  double seconds = 0;
  std::string prompt;
  std::optional<PromptSwitch> on_switch = {};  // empty: as the stream does by default

  bool operator==(const TimedPrompt&) const = default;
};

// From this block on, the noise is that of another seed.
struct SeedChange {
  int64_t block = 0;  // 1 or more
  int64_t seed = 0;

  bool operator==(const SeedChange&) const = default;
};

// Parses "20", "20.5", "0:20" and "1:02:03.5" to seconds; throws on anything else.
double parse_time(std::string_view text);
std::string spell_time(double seconds);  // "0:20", "1:02:03.5"

// Reads lines of a time and a prompt ("0:20 a dog runs into the sea"); ignores blank lines and those that begin with #.
std::vector<TimedPrompt> read_prompt_script(const std::filesystem::path& path);

// Throws unless the times start at 0 and increase; the message names the prompt.
void check_timeline(const std::vector<TimedPrompt>& prompts);

}  // namespace sgf
