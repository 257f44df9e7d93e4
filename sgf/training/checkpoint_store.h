// The checkpoints of a run: folders step_00000010 that are whole or not taken, whatever moment the process was killed
// at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Which checkpoints stay. The newest whole one always does.
struct KeepRule {
  int64_t last = 3;   // the newest so many
  int64_t every = 0;  // and those whose step it divides; 0: none

  void validate() const;
};

struct CheckpointSurvey {
  std::vector<int64_t> complete;                 // steps, ascending
  std::vector<std::string> damaged;              // marked as done, but a file is missing or of another size: in words
  std::vector<std::filesystem::path> leftovers;  // of a crash: temporary names and folders without the mark
};

// A checkpoint is written under a temporary name, synced, renamed, and then marked by the file DONE, which lists the
// files and their sizes. A folder without the mark is not a checkpoint; removing one begins with its mark.
class CheckpointStore {
 public:
  explicit CheckpointStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  CheckpointSurvey survey() const;
  std::optional<int64_t> newest() const;  // step of the newest whole one
  std::filesystem::path folder_of(int64_t step) const;

  // `write` fills the folder it is given. If it throws, nothing is left of it and every earlier checkpoint stays.
  // Refuses a step that is already saved.
  void save(int64_t step, const std::function<void(const std::filesystem::path&)>& write) const;

  // Gives what it removed.
  std::vector<int64_t> prune(const KeepRule& rule) const;
  std::vector<std::filesystem::path> remove_leftovers() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace sgf
