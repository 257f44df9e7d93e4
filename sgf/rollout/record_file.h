// An exit record on disk, so that a rollout can be stored and reconstructed on another machine.
#pragma once

#include "sgf/rollout/exit_record.h"

#include <filesystem>

namespace sgf {

// What Pass 2 needs beside the network: the record and the text embedding [B, L, text_dim] of the rollout.
struct SavedRecord {
  ExitRecord record;
  at::Tensor text;
};

// Writes safetensors of kind "exit record".
void save_record(const std::filesystem::path& path, const SavedRecord& saved);

// Loads to the CPU and validates.
SavedRecord load_record(const std::filesystem::path& path);

}  // namespace sgf
