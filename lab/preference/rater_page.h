// The page that raters open: one file, no network, and not a word of which method made what. Torch-free.
#pragma once

#include "lab/preference/blind_study.h"

#include <cstdint>
#include <filesystem>

namespace sgf {

struct RaterPageSettings {
  std::filesystem::path page;
  int64_t embed_bytes = 0;  // videos that are together no larger lie within the page; larger ones in a folder beside it
};

struct RaterPageFiles {
  int64_t video_bytes = 0;
  std::filesystem::path folder;  // of the videos; empty where they lie within the page
};

// Videos are copied without what they say of themselves, and named by pair and side alone.
RaterPageFiles write_rater_page(const BlindStudy& study, const RaterPageSettings& settings);

}  // namespace sgf
