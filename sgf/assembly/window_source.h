// Where the window of a bare weight file comes from. The weights do not tell it: frame-wise and chunk-wise networks
// have the same tensors. Torch-free.
#pragma once

#include "sgf/core/error.h"
#include "sgf/model/dit_config.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct WindowSource {
  std::string config;  // a file or the name of a preset
  std::string reason;  // "the release keeps its chunk-wise model there"
  // Teacher-forced weights that few-step training starts from: they have this window, and need many steps.
  bool is_many_step = false;
};

// The one config beside the weights (our config.yaml, or a YAML file of the Self-Forcing family), else the place of the
// file in a known release, else a folder that says its granularity. nullopt if nothing tells. Throws ModelQuestion if
// there are several configs beside it and it is of no known release.
std::optional<WindowSource> find_window_source(const std::filesystem::path& weights);

// Whether the path is that of a teacher-forced start in a known release.
bool is_many_step_release(const std::filesystem::path& weights);

// Whether two networks differ at most in text_len, which weights do not show.
bool same_size(DitConfig a, const DitConfig& b);

// A line for each preset that streams a network of this size, or of any size if none has it:
// "--config self-forcing   sink 0 + FIFO 18 + 3   Self-Forcing".
std::vector<std::string> window_choices(const DitConfig& network);

// The user has to say more about the model: what is missing, and the answers to choose from.
class ModelQuestion : public Error {
 public:
  ModelQuestion(const std::string& question, std::vector<std::string> choices)
      : Error(question), choices_(std::move(choices)) {}

  const std::vector<std::string>& choices() const { return choices_; }

 private:
  std::vector<std::string> choices_;
};

}  // namespace sgf
