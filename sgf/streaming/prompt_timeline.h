// Which prompt holds at which time of a stream, and what a change of prompt does to its memory. Torch-free.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

enum class PromptSwitch {
  kKeep,     // only the text changes: the cache stays as the old prompt wrote it
  kRecache,  // what is in sight is written again, under the new prompt
  kNewSink,  // the first blocks after the change become the sink
};

constexpr auto enum_names(PromptSwitch) {
  return std::array{EnumName{PromptSwitch::kKeep, "keep"}, EnumName{PromptSwitch::kRecache, "recache"},
                    EnumName{PromptSwitch::kNewSink, "new-sink"}};
}

// A prompt, from this time on until the next one.
struct TimedPrompt {
  double seconds = 0;
  std::string prompt;

  bool operator==(const TimedPrompt&) const = default;
};

// "20", "20.5", "0:20" and "1:02:03.5" in seconds; anything else is an Error.
double parse_time(std::string_view text);
std::string spell_time(double seconds);  // "0:20", "1:02:03.5"

// Lines of a time and a prompt ("0:20 a dog runs into the sea"); blank lines and those that begin with # are left out.
std::vector<TimedPrompt> read_prompt_script(const std::filesystem::path& path);

// A timeline begins at 0 and its times rise; an Error says which line does not.
void check_timeline(const std::vector<TimedPrompt>& prompts);

}  // namespace sgf
