// The videos to evaluate, with their prompts.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct ListedVideo {
  std::filesystem::path file;         // a video file or a folder of PNG files
  std::optional<std::string> prompt;  // empty: the video is not in the list of prompts
};

// VBench's rule: the name without extension and without a number after the last dash, "a red disc-0.mp4".
std::string prompt_of_name(const std::filesystem::path& file);

// Prompts by file name, read from any of
//   {"a.mp4": "a red disc"}                                      VBench's --prompt_file
//   [{"prompt_en": "a red disc", "video_list": ["v/a.mp4"]}]     VBench's info files
//   {"videos": [{"file": "a.mp4", "prompt": "a red disc"}]}      manifest.json of sgf generate, results of sgf eval
//   {"world": "world-tiny", "clips": [{"file": ..., "caption": ...}]}  manifest.json of sgf world render
struct PromptBook {
  std::map<std::string, std::string> prompts;
  std::string world;  // world of the manifest; empty: none
};
PromptBook read_prompt_book(const std::filesystem::path& path);

// A file, a folder of PNG files, or a folder of these: all videos, by name. Without a book, prompts come from file
// names. Throws if there are no videos.
std::vector<ListedVideo> list_videos(const std::filesystem::path& place, const std::optional<PromptBook>& book);

}  // namespace sgf
