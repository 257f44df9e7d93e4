// What is in a Wan folder: each part, whether it is complete, and what is missing. Only headers are read.
// Torch-free.
#pragma once

#include "sgf/model/dit_config.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class PartState { kComplete, kMissing, kBroken };

struct SurveyedPart {
  std::string name;            // "DiT", "text encoder", "tokenizer", "VAE"
  std::filesystem::path file;  // empty if it is missing
  uint64_t bytes = 0;
  std::string content;  // "wan-1.3b, 825 BF16"
  PartState state = PartState::kMissing;
  std::string problem;    // of a broken part
  std::string purpose;    // what it is needed for
  std::string downloads;  // the command that gets it
};

struct WanSurvey {
  std::filesystem::path folder;
  std::string problem;              // of the whole folder, such as a layout that cannot be read
  std::vector<SurveyedPart> parts;  // DiT, text encoder, tokenizer, VAE
  std::optional<DitConfig> dit;
  int64_t text_dim = 0;  // width of the text encoder's embeddings

  bool has(const std::string& name) const;
  bool is_broken() const;
  bool gives_text_and_video() const { return has("text encoder") && has("tokenizer") && has("VAE"); }
};

// Whether a folder has a file or folder of an official name, or is a diffusers pipeline.
bool looks_like_wan_folder(const std::filesystem::path& folder);

// Whether it also has more than the DiT, which is the base model then and no student.
bool has_base_model(const std::filesystem::path& folder);

WanSurvey survey_wan(const std::filesystem::path& folder);

// Throws if tokenizer and text encoder of a Wan folder cannot be read or do not belong together. Called before anything
// is put on a GPU.
void check_text_files(const std::filesystem::path& encoder, const std::filesystem::path& tokenizer);

}  // namespace sgf
