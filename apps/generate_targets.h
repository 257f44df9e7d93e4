// Checks of the output files of `sgf generate`, before any work.
#pragma once

#include "apps/generate_jobs.h"

#include <string>
#include <vector>

namespace sgf {

// Throws Error if a file cannot be written, or exists without --overwrite or --continue. Folders need not exist yet if
// `makes_folder`.
void check_targets(const std::vector<VideoJob>& jobs, bool makes_folder);

// Throws Error if two videos have one file.
void check_names(const std::vector<VideoJob>& jobs);

// With --continue: whether an earlier start finished this video. Throws Error if the file is another video, or has
// another length: a complete video has no saved state from which it could be lengthened.
bool is_done_already(const VideoJob& job);

void make_folder(const std::string& folder);

}  // namespace sgf
