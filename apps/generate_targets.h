// What lies where the videos of `sgf generate` are to go, looked at before any work.
#pragma once

#include "apps/generate_jobs.h"

#include <string>
#include <vector>

namespace sgf {

// Every file can be written, into folders that will be made if need be, and nothing is there that was not to be
// replaced or gone on with: else an Error.
void check_targets(const std::vector<VideoJob>& jobs, bool makes_folder);

// No two videos have one file: else an Error.
void check_names(const std::vector<VideoJob>& jobs);

// With --continue: a video that an earlier start has finished. Another video of that name is an Error that says where
// they differ, as is one of another length: the state that it could be lengthened from goes when a video is whole.
bool is_done_already(const VideoJob& job);

void make_folder(const std::string& folder);

}  // namespace sgf
