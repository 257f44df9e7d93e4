// Whose files lie under a video's name, and who writes there now. --continue touches only what is its own.
#pragma once

#include "sgf/files/file_lock.h"
#include "sgf/streaming/generate_order.h"
#include "sgf/streaming/open_sink.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Where a video goes, and what is left beside it while it grows.
struct GenerateOutput {
  std::string target;  // as open_sink takes it
  std::optional<SinkKind> format;
  std::filesystem::path latents;               // written beside the frames; empty: not
  bool resume = false;                         // go on from the saved state where there is one
  bool overwrite = false;                      // files of an earlier video there may go
  std::function<void(int64_t)> progress = {};  // frames so far
  std::function<bool()> should_stop = {};      // asked after every block

  bool can_continue() const { return target != "-"; }
  bool is_file() const;  // false: a pipe, or nothing
};

// The state lies beside the target, and is removed when the video is whole.
std::filesystem::path state_file(const GenerateOutput& output);

// The CPU threads of the saved state that --continue takes up, 0 where it names none; nothing where there is no state.
std::optional<int64_t> threads_of_state(const GenerateOutput& output);

// Whether something lies there that could be lost. Empty files and folders hold nothing.
bool is_taken(const std::filesystem::path& path);

// Refuses files that another order made, or that do not say what made them. A file is this order's if the order inside
// it says so (mp4, PNG folders, latents; y4m holds its hash) or if a state or lock beside it does. Changes nothing.
void check_own_files(const GenerateOrder& order, const GenerateOutput& output);

// Whether a start of this order began the video and did not end it: a lock beside it names the order.
bool was_begun(const GenerateOrder& order, const GenerateOutput& output);

// Held while a video is written: `NAME.lock` beside each of its files, with the order inside, so that after a kill the
// next start knows whose half-written file it finds.
class VideoClaim {
 public:
  // Refuses where another process writes there.
  explicit VideoClaim(const GenerateOutput& output);
  ~VideoClaim();
  VideoClaim(const VideoClaim&) = delete;
  VideoClaim& operator=(const VideoClaim&) = delete;

  void begin(const GenerateOrder& order);  // before the first change
  void end();                              // the files, or a state beside them, now say it themselves

 private:
  std::vector<FileLock> locks_;
  bool is_begun_ = false;
};

// Removes what a kill after the last block left beside a whole video.
void remove_stale_locks(const GenerateOutput& output);

}  // namespace sgf
