// Where the weights of VBench's networks lie: the layout that VBench itself downloads them into.
#pragma once

#include "sgf/vbench/metric_names.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct VbenchFile {
  std::string_view path;    // below VBench's cache folder
  std::string_view origin;  // where the original project has it
  std::string_view sha256;  // as many digits as are known; empty: none
  // Where the original's own loaders put it, below the home folder, when VBench does not run in local mode.
  std::string_view elsewhere = "";
  std::string_view first_name = "";  // a tensor in it, to find what stands before all names ("module.")
};

extern const VbenchFile kDinoFile;
extern const VbenchFile kDinov2File;
extern const VbenchFile kClipB32File;
extern const VbenchFile kClipL14File;
extern const VbenchFile kAestheticFile;
extern const VbenchFile kMusiqFile;
extern const VbenchFile kRaftFile;
extern const VbenchFile kAmtFile;
// DreamSim: what dreamsim_ensemble_checkpoint.zip unpacks to, a folder that is opened as a whole.
extern const VbenchFile kDreamSimDinoFile;
extern const VbenchFile kDreamSimClipFile;
extern const VbenchFile kDreamSimOpenClipFile;
extern const VbenchFile kDreamSimLoraFile;

struct FoundFile {
  std::filesystem::path path;
  std::string sha256;
};

class WeightPlaces {
 public:
  // `folder` as it was asked for. Where it is empty: $VBENCH_CACHE_DIR, else ~/.cache/vbench, and then the places that
  // the original's loaders use.
  explicit WeightPlaces(const std::filesystem::path& folder = {});

  // An Error says which file is missing, where it was looked for, and where the original project has it. `warn` hears
  // of a file whose hash differs from the known one.
  FoundFile find(const VbenchFile& file, const std::function<void(const std::string&)>& warn = {}) const;
  std::optional<std::filesystem::path> path_of(const VbenchFile& file) const;  // without reading it

 private:
  std::vector<std::filesystem::path> candidates(const VbenchFile& file) const;

  std::filesystem::path folder_;
  bool is_asked_for_;
};

}  // namespace sgf
