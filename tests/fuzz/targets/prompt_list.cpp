// Prompts, one per line, and scripts of times and prompts.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/dataset/prompt_list.h"
#include "sgf/files/text_file.h"
#include "sgf/streaming/output_name.h"
#include "sgf/streaming/prompt_timeline.h"

#include <cmath>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "prompts.txt";
constexpr size_t kMostNames = 64;

void must_name_a_file(const std::string& prompt, VideoNaming naming) {
  const std::string name = video_name({.prompt = prompt, .samples = 2}, naming);
  must(!name.empty() && name.size() <= 250 && name != "." && name != "..", "a video's name fits a file system");
  must(name.find('/') == std::string::npos && name.find('\0') == std::string::npos, "a video's name is no path");
}

void read_list(const std::filesystem::path& path) {
  const auto prompts = read_or_refuse(kName, [&] { return read_prompts(path); });
  if (!prompts) return;
  must(!prompts->empty(), "a file without prompts is refused");
  for (size_t i = 0; i < prompts->size(); ++i) {
    const std::string& prompt = (*prompts)[i];
    must(!trimmed(prompt).empty() && is_utf8(prompt), "a prompt is text, and not blank");
    must(prompt.find_first_of("\r\n") == std::string::npos, "a prompt is one line");
    if (i >= kMostNames) continue;
    must_name_a_file(prompt, VideoNaming::kNumbered);
    must_name_a_file(prompt, VideoNaming::kVbench);
  }
}

void read_script(const std::filesystem::path& path) {
  const auto script = read_or_refuse(kName, [&] { return read_prompt_script(path); });
  if (!script) return;
  check_timeline(*script);
  for (const TimedPrompt& prompt : *script) {
    must(std::isfinite(prompt.seconds) && prompt.seconds >= 0, "a time is a number of seconds");
    must(!spell_time(prompt.seconds).empty(), "a time can be spelled");
  }
}

void read(std::string_view input) {
  const std::filesystem::path path = scratch_file(kName, input);
  read_list(path);
  read_script(path);
}

const Registered target("prompt_list", read);

}  // namespace
}  // namespace sgf::fuzz
