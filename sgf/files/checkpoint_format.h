// The version mark of our own checkpoints. Torch-free.
#pragma once

#include "sgf/files/checkpoint_hashes.h"
#include "sgf/files/tensor_file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace sgf {

// Raised whenever a checkpoint's tensors or metadata come to mean something else. Hashes did not raise it: a program
// that does not know them reads the same tensors.
inline constexpr int64_t kCheckpointFormat = 1;
inline constexpr const char* kFormatVersionKey = "sgf.format_version";
inline constexpr const char* kCheckpointKindKey = "sgf.kind";

// Marks metadata about to be written. `kind` says what the file is: "dit", "training", "exit record".
void stamp(std::map<std::string, std::string>& metadata, std::string_view kind);

bool is_own_checkpoint(const TensorFile& file);

// Passes files of others. Throws on a version newer than this program's, with both numbers, and on none at all.
void check_format(const TensorFile& file, const std::filesystem::path& path);

// The door for every reader of our checkpoints: opened, checked, and of that kind. One without hashes, of an earlier
// version, is taken with a notice.
TensorFile open_checkpoint(const std::filesystem::path& path, std::string_view kind, HashCheck which = HashCheck::kAll);

// The version and the hashes of any weight file; those of others pass.
void check_own_file(const TensorFile& file, const std::filesystem::path& path);

}  // namespace sgf
