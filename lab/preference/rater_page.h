// The page for raters: one file, no network, no information about the methods. Torch-free.
#pragma once

#include "lab/preference/blind_study.h"

#include <cstdint>
#include <filesystem>

namespace sgf {

struct RaterPageSettings {
  std::filesystem::path page;
  int64_t embed_bytes = 0;  // embeds the videos up to this total size; larger ones go to a folder beside the page
};

struct RaterPageFiles {
  int64_t video_bytes = 0;
  std::filesystem::path folder;  // of the videos; empty if they are embedded
};

// Videos are copied without metadata, and named only by pair and side.
RaterPageFiles write_rater_page(const BlindStudy& study, const RaterPageSettings& settings);

}  // namespace sgf
