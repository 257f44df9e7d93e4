// The checkpoints of a run: folders step_00000010. A checkpoint is complete or ignored, whenever the process was
// killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Which checkpoints are kept. The newest complete one always is.
struct KeepRule {
  int64_t last = 3;   // how many of the newest
  int64_t every = 0;  // also those at multiples of this step; 0: none

  void validate() const;
};

struct DamagedCheckpoint {
  int64_t step = 0;
  std::string description;  // "step_00000010: 2 is missing"
};

struct CheckpointSurvey {
  std::vector<int64_t> complete;                 // steps, ascending
  std::vector<DamagedCheckpoint> damaged;        // the mark is damaged or missing, or a file is missing or cut
  std::vector<std::filesystem::path> leftovers;  // of a crash: temporary names and half-removed folders
};

// The newest intact checkpoint, and newer ones that were skipped.
struct CheckpointChoice {
  std::optional<int64_t> step;
  std::vector<int64_t> damaged;          // steps: wrong sizes, wrong hashes or a damaged mark
  std::vector<std::string> passed_over;  // descriptions of these
};

// A checkpoint is written under a temporary name, marked by the file DONE, which lists the files with sizes and hashes,
// synced and renamed. Removal renames the mark to REMOVED first, so that no kill leaves a folder without either: one
// whose mark is gone is damaged. Sizes are always checked, hashes only before the content is used.
class CheckpointStore {
 public:
  explicit CheckpointStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  CheckpointSurvey survey() const;
  std::optional<int64_t> newest() const;  // step of the newest complete one
  std::filesystem::path folder_of(int64_t step) const;

  // Selects the files that the caller will read, by their path in the checkpoint.
  using WantedFile = std::function<bool(const std::string&)>;
  // Describes what is wrong with the content of these files. Empty if their hashes match, and for checkpoints of
  // earlier versions, whose marks have no hashes.
  std::string find_rot(int64_t step, const WantedFile& wanted) const;
  CheckpointChoice choose(const std::function<WantedFile(const std::filesystem::path&)>& wanted_in) const;
  CheckpointChoice choose() const;  // all files wanted

  // Renames the checkpoint to step_00000010.damaged, so that the step can be saved again and pruning does not count it.
  // Returns the new path.
  std::filesystem::path set_aside(int64_t step) const;

  // `write` fills the folder that it gets. If it throws, the folder is removed and earlier checkpoints stay. Throws if
  // the step is already saved. A damaged checkpoint of the step is set aside.
  void save(int64_t step, const std::function<void(const std::filesystem::path&)>& write) const;

  // Returns the removed paths.
  std::vector<int64_t> prune(const KeepRule& rule) const;
  std::vector<std::filesystem::path> remove_leftovers() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace sgf
