// An exit record on disk: a rollout can be kept, sent, and reconstructed again elsewhere.
#pragma once

#include "sgf/rollout/exit_record.h"

#include <filesystem>

namespace sgf {

// What Pass 2 needs beside the network: the record and the text rows [B, L, text_dim] it was rolled out with.
struct SavedRecord {
  ExitRecord record;
  at::Tensor text;
};

// safetensors of kind "exit record".
void save_record(const std::filesystem::path& path, const SavedRecord& saved);

// On the CPU, as it was saved; validated.
SavedRecord load_record(const std::filesystem::path& path);

}  // namespace sgf
