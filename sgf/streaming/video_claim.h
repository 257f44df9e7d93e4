// Who made the files under a video's name, and who writes them now. --continue changes only its own files.
#pragma once

#include "sgf/core/error.h"
#include "sgf/files/file_lock.h"
#include "sgf/streaming/generate_order.h"
#include "sgf/streaming/open_sink.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgf {

// The output of a video, and files beside it while it grows.
struct GenerateOutput {
  std::string target;  // see open_sink
  std::optional<SinkKind> format;
  std::filesystem::path latents;               // also written; empty: not written
  bool resume = false;                         // continue from the saved state if there is one
  bool overwrite = false;                      // files of an earlier video may be replaced
  std::function<void(int64_t)> progress = {};  // frames so far
  std::function<bool()> should_stop = {};      // called after every block

  bool can_continue() const { return target != "-"; }
  bool is_file() const;  // false: a pipe, or no output
};

// The state is beside the target, after links, and is removed when the video is complete.
std::filesystem::path state_file(const GenerateOutput& output);

// CPU threads in the saved state that --continue uses, 0 if it stores none; nullopt if there is no state.
std::optional<int64_t> threads_of_state(const GenerateOutput& output);

// Files under a video's name belong to another video.
class OtherVideo : public Error {
 public:
  OtherVideo(std::string_view message, GenerateOrder there, GenerateOrder here)
      : Error(message), there_(std::move(there)), here_(std::move(here)) {}

  const GenerateOrder& there() const { return there_; }  // that of the files
  const GenerateOrder& here() const { return here_; }    // that of this command

 private:
  GenerateOrder there_, here_;
};

// Whether existing content could be lost. Empty files and folders have none.
bool is_taken(const std::filesystem::path& path);

// Throws if a lock or state beside the files is not one of sgf, or, without `overwrite`, if the state is of another
// order.
void check_files_beside(const GenerateOrder& order, const GenerateOutput& output);

// Throws OtherVideo on files of another order, Error on those of an unknown one. A file belongs to this order if its
// embedded order says so (mp4, PNG folders, latents; y4m has its hash), or a state or lock beside it. Changes nothing.
void check_own_files(const GenerateOrder& order, const GenerateOutput& output);

// Whether an earlier start of this order began the video and did not finish it: a lock beside it names the order.
bool was_begun(const GenerateOrder& order, const GenerateOutput& output);

// Held while a video is written: `NAME.lock` beside each of its files, with the order inside. After a kill, the next
// start can identify an incomplete file.
class VideoClaim {
 public:
  // Throws if another process writes there, or if a lock's name belongs to another file.
  explicit VideoClaim(const GenerateOutput& output);
  ~VideoClaim();
  VideoClaim(const VideoClaim&) = delete;
  VideoClaim& operator=(const VideoClaim&) = delete;

  void begin(const GenerateOrder& order);  // before the first change
  void end();                              // the files, or a state beside them, hold the order now

 private:
  VideoClaim() = default;

  std::vector<FileLock> locks_;
  bool is_begun_ = false;
};

// Removes locks that a kill after the last block left beside a complete video. Throws on a file of somebody else.
void remove_stale_locks(const GenerateOutput& output);

}  // namespace sgf
