// The format version of sgf's own checkpoints. Torch-free.
#pragma once

#include "sgf/files/checkpoint_hashes.h"
#include "sgf/files/tensor_file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace sgf {

// Raised whenever the meaning of a checkpoint's tensors or metadata changes. Adding hashes did not raise it: a program
// that does not know them reads the same tensors.
inline constexpr int64_t kCheckpointFormat = 1;
inline constexpr const char* kFormatVersionKey = "sgf.format_version";
inline constexpr const char* kCheckpointKindKey = "sgf.kind";

// Adds the version to metadata about to be written. `kind` says what the file is: "dit", "training", "exit record".
void stamp(std::map<std::string, std::string>& metadata, std::string_view kind);

bool is_own_checkpoint(const TensorFile& file);

// Accepts files from other programs. Throws Error if the version is newer than this program's, with both numbers, or is
// not a number.
void check_format(const TensorFile& file, const std::filesystem::path& path);

// Every reader of sgf's checkpoints uses this: it opens the file and checks its version, hashes and kind. A file
// without hashes, from an earlier version, is accepted with a notice. `advice` ends the error about damage.
TensorFile open_checkpoint(const std::filesystem::path& path, std::string_view kind, HashCheck which = HashCheck::kAll,
                           std::string_view advice = kDamageAdvice);

// Checks the version and the hashes of any weight file. Accepts files from other programs.
void check_own_file(const TensorFile& file, const std::filesystem::path& path, std::string_view advice = kDamageAdvice);

}  // namespace sgf
