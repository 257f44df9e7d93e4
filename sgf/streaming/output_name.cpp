#include "sgf/streaming/output_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace sgf {
namespace {

constexpr size_t kShownBytes = 48;
constexpr size_t kLongestPrompt = 200;  // file systems allow 255 bytes

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Cuts to at most this many bytes, at a character boundary.
std::string cut(const std::string& text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

// FNV-1a, which only has to keep names apart.
uint32_t mark_of(const std::string& text) {
  uint32_t hash = 2166136261U;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return hash;
}

// Lower-case ASCII words and all non-ASCII characters, joined by hyphens.
std::string slug(const std::string& prompt) {
  std::string words;
  for (const char byte : prompt) {
    const auto c = static_cast<unsigned char>(byte);
    if (c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) {
      words += byte;
    } else if (c >= 'A' && c <= 'Z') {
      words += static_cast<char>(c - 'A' + 'a');
    } else if (!words.empty() && words.back() != '-') {
      words += '-';
    }
  }
  words = cut(words, kShownBytes);
  while (!words.empty() && words.back() == '-') words.pop_back();
  return words.empty() ? "video" : words;
}

// The prompt itself if it can be a file name.
std::string file_prompt(const std::string& prompt) {
  std::string name = prompt;
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '_');
  if (name.starts_with('.') || name.empty()) name = "_" + name;
  name = cut(name, kLongestPrompt);
  return name == prompt ? name : fmt::format("{}~{:08x}", name, mark_of(prompt));
}

}  // namespace

std::string video_name(const NamedVideo& video, VideoNaming naming) {
  if (naming == VideoNaming::kVbench) return fmt::format("{}-{}", file_prompt(video.prompt), video.sample);
  const std::string sample = video.samples > 1 ? fmt::format("-{}", video.sample) : "";
  return fmt::format("{:04}-{}-{}{}", video.line, slug(video.prompt), video.seed, sample);
}

}  // namespace sgf
