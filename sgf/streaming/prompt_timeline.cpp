#include "sgf/streaming/prompt_timeline.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/dataset/prompt_list.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace sgf {
namespace {

constexpr double kLatestTime = 1e9;  // seconds: 30 years

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0) return {};
  return value;
}

// Hours and minutes are integers; a colon is followed by two digits before the decimal point.
std::optional<double> time_in(std::string_view text) {
  double seconds = 0;
  for (bool is_first = true;; is_first = false) {
    const size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    const std::optional<double> value = number_in(part);
    const bool is_last = colon == std::string_view::npos;
    if (!value || (!is_first && (*value >= 60 || part.find('.') == 1 || part.size() < 2))) return {};
    if (!is_last && part.find('.') != std::string_view::npos) return {};
    seconds = seconds * 60 + *value;
    if (seconds > kLatestTime) return {};
    if (is_last) return seconds;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

double parse_time(std::string_view text) {
  const std::optional<double> seconds = time_in(text);
  SGF_CHECK(seconds.has_value(), "a time must be written like 20, 0:20 or 1:02:03.5, at most {:.0f} s, got {}",
            kLatestTime, in_quotes(std::string(text)));
  return *seconds;
}

std::string spell_time(double seconds) {
  const auto minutes = static_cast<int64_t>(seconds / 60);
  const double rest = seconds - static_cast<double>(minutes) * 60;
  std::string text = fmt::format("{}", rest);
  if (rest < 10) text = "0" + text;
  return minutes < 60 ? fmt::format("{}:{}", minutes, text)
                      : fmt::format("{}:{:02}:{}", minutes / 60, minutes % 60, text);
}

std::vector<TimedPrompt> read_prompt_script(const std::filesystem::path& path) {
  std::vector<TimedPrompt> prompts;
  for (const std::string& line : read_prompts(path)) {
    const size_t begin = line.find_first_not_of(" \t");
    if (line[begin] == '#') continue;
    const size_t space = line.find_first_of(" \t", begin);
    const size_t text = space == std::string::npos ? space : line.find_first_not_of(" \t", space);
    SGF_CHECK(text != std::string::npos, "{}: a line must hold a time and a prompt, e.g. '0:20 a dog runs', got {}",
              path.string(), in_quotes(line));
    try {
      prompts.push_back({parse_time(std::string_view(line).substr(begin, space - begin)), line.substr(text)});
    } catch (const Error& error) {
      fail("{}: line {}: {}", path.string(), in_quotes(line), error.what());
    }
  }
  SGF_CHECK(!prompts.empty(), "{}: the script must have at least one prompt", path.string());
  try {
    check_timeline(prompts);
  } catch (const Error& error) {
    fail("{}: {}", path.string(), error.what());
  }
  return prompts;
}

void check_timeline(const std::vector<TimedPrompt>& prompts) {
  SGF_CHECK(!prompts.empty(), "a stream needs at least one prompt");
  for (const TimedPrompt& prompt : prompts)
    SGF_CHECK(std::abs(prompt.seconds) <= kLatestTime, "a prompt must begin within {:.0f} s, got {:g}", kLatestTime,
              prompt.seconds);
  SGF_CHECK(prompts.front().seconds == 0, "the first prompt must start at 0:00, got {}",
            spell_time(prompts.front().seconds));
  for (size_t i = 1; i < prompts.size(); ++i)
    SGF_CHECK(prompts[i].seconds > prompts[i - 1].seconds,
              "prompts must be in order of time: {} at {} does not come after {}", in_quotes(prompts[i].prompt),
              spell_time(prompts[i].seconds), spell_time(prompts[i - 1].seconds));
}

}  // namespace sgf
