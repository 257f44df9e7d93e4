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

// The newest checkpoint whose content is as it was saved, and those that were passed over for it.
struct CheckpointChoice {
  std::optional<int64_t> step;
  std::vector<int64_t> rotten;           // whole by their sizes, but their hashes do not hold
  std::vector<std::string> passed_over;  // these, and those that are damaged by their sizes: in words
};

// A checkpoint is written under a temporary name, synced, renamed, and then marked by the file DONE, which lists the
// files, their sizes and their hashes. A folder without the mark is not a checkpoint; removing one begins with its
// mark. Sizes are looked at always, content where it is about to be used.
class CheckpointStore {
 public:
  explicit CheckpointStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  CheckpointSurvey survey() const;
  std::optional<int64_t> newest() const;  // step of the newest whole one
  std::filesystem::path folder_of(int64_t step) const;

  // Which of a checkpoint's files a caller will read, by their paths within it.
  using WantedFile = std::function<bool(const std::string&)>;
  // What is wrong with the content of these files, in words; empty where their hashes hold, and for checkpoints of
  // earlier versions, whose marks name none.
  std::string find_rot(int64_t step, const WantedFile& wanted) const;
  CheckpointChoice choose(const std::function<WantedFile(const std::filesystem::path&)>& wanted_in) const;
  CheckpointChoice choose() const;  // all files wanted

  // Under another name, step_00000010.damaged, that is not taken for a checkpoint: the step can be saved again, and
  // pruning does not count it. Gives that name.
  std::filesystem::path set_aside(int64_t step) const;

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
