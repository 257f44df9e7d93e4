// Where the weights of VBench's networks are: the folder layout into which VBench downloads them.
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
  std::string_view path;    // relative to VBench's cache folder
  std::string_view origin;  // the original download location
  std::string_view sha256;  // the known leading digits; may be empty
  // Where the original's loaders put it, relative to the home folder, if VBench does not run in local mode.
  std::string_view elsewhere = "";
  std::string_view first_name = "";  // a tensor in it, to find the prefix of all names ("module.")
};

extern const VbenchFile kDinoFile;
extern const VbenchFile kDinov2File;
extern const VbenchFile kClipB32File;
extern const VbenchFile kClipL14File;
extern const VbenchFile kAestheticFile;
extern const VbenchFile kMusiqFile;
extern const VbenchFile kRaftFile;
extern const VbenchFile kAmtFile;
// DreamSim: the unpacked dreamsim_ensemble_checkpoint.zip, a folder that is opened as a whole.
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
  // `folder` as the user gave it. If empty: $VBENCH_CACHE_DIR, else ~/.cache/vbench, then the places of the original's
  // loaders.
  explicit WeightPlaces(const std::filesystem::path& folder = {});

  // Throws an Error that says which file is missing, where it was looked for, and where to download it. `warn` receives
  // a message for a file whose hash differs from the known one.
  FoundFile find(const VbenchFile& file, const std::function<void(const std::string&)>& warn = {}) const;
  std::optional<std::filesystem::path> path_of(const VbenchFile& file) const;  // without reading it

 private:
  std::vector<std::filesystem::path> candidates(const VbenchFile& file) const;

  std::filesystem::path folder_;
  bool is_asked_for_;
};

}  // namespace sgf
