// The videos of two methods, paired where they show the same thing: by the prompt and seed that our videos note, else
// by the name of the file. Torch-free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct PairedVideo {
  std::filesystem::path file;
  std::string sha256;                   // of the whole file
  std::string caption;                  // its prompts, in time; empty where the file notes none
  std::optional<std::string> identity;  // prompts, seed and number as one text, where the file notes them
  int64_t width = 0, height = 0;
  std::optional<double> seconds;
};

struct VideoPair {
  PairedVideo a, b;

  std::string caption() const;  // the prompts, or the name that both files share
};

struct LeftOutVideo {
  std::filesystem::path file;
  std::string why;
};

struct PairedVideos {
  std::vector<VideoPair> pairs;  // in the order of the first folder's names
  std::vector<LeftOutVideo> left_out;
};

// What a comment of `sgf generate` says of a video; a comment of others says nothing.
void take_note(PairedVideo& video, const std::string& note);

struct FoundVideos {
  std::vector<PairedVideo> videos;
  std::vector<LeftOutVideo> unreadable;
};

// Files that browsers play (mp4, m4v, mov, webm), in the order of their names. Without any it is an Error.
FoundVideos find_paired_videos(const std::filesystem::path& folder);

// Two of one folder that could take each other's place are an Error that names both.
PairedVideos pair_videos(const std::vector<PairedVideo>& a, const std::vector<PairedVideo>& b);

}  // namespace sgf
