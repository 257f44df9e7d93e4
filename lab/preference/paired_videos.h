// Pairs the videos of two methods: by prompt and seed from their metadata, else by file name. Torch-free.
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
  std::string caption;                  // its prompts, in order of time; empty if the file has none
  std::optional<std::string> identity;  // prompts, seed and number as one text, if the file has them
  int64_t width = 0, height = 0;
  std::optional<double> seconds;
};

struct VideoPair {
  PairedVideo a, b;

  std::string caption() const;  // the prompts, or the common file name
};

struct LeftOutVideo {
  std::filesystem::path file;
  std::string why;
};

struct PairedVideos {
  std::vector<VideoPair> pairs;  // in the order of the first folder's names
  std::vector<LeftOutVideo> left_out;
};

// Reads the metadata that `sgf generate` embeds; ignores comments of other programs.
void take_note(PairedVideo& video, const std::string& note);

struct FoundVideos {
  std::vector<PairedVideo> videos;
  std::vector<LeftOutVideo> unreadable;
};

// Files that browsers play (mp4, m4v, mov, webm), sorted by name. Throws if there are none.
FoundVideos find_paired_videos(const std::filesystem::path& folder);

// Throws if two videos of one folder are ambiguous; the message names both.
PairedVideos pair_videos(const std::vector<PairedVideo>& a, const std::vector<PairedVideo>& b);

}  // namespace sgf
