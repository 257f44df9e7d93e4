// Hashes in the metadata of sgf's own checkpoints and states. There is one per tensor, so that several writers can hash
// their own, and one for the rest of the header. Other readers of safetensors ignore them. Torch-free.
#pragma once

#include "sgf/core/dtype.h"
#include "sgf/files/tensor_file.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

inline constexpr const char* kTensorHashesKey = "sgf.tensor_hashes";  // {"NAME":"HASH",...}
inline constexpr const char* kHeaderHashKey = "sgf.header_hash";      // covers all other metadata and all entries

// The text that stands for one tensor in the header hash. Its position is not part of it: its bytes have a hash.
std::string describe_for_hash(std::string_view name, DType dtype, std::span<const int64_t> shape);

// Puts both hashes into metadata and replaces existing ones. All hashes have the same length, so a header can be laid
// out before they are known.
void set_hashes(std::map<std::string, std::string>& metadata, std::vector<std::string> descriptions,
                const std::map<std::string, std::string>& tensor_hashes);
void remove_hashes(std::map<std::string, std::string>& metadata);

// One of the two keys is enough: a file that has lost the other one is damaged.
bool has_hashes(const TensorFile& file);

// Describes the damage; empty if there is none, and for files without hashes.
std::string find_header_damage(const TensorFile& file);
// Reads every byte of every tensor. A file that was read before and has not changed is not read again.
std::string find_tensor_damage(const TensorFile& file);

// How much of a file is checked against its hashes when it is opened.
enum class HashCheck {
  kAll,     // header and tensors
  kHeader,  // for files whose bytes another hash covers
};
// What people can do about damage in a file of a run.
inline constexpr std::string_view kDamageAdvice = "restore the file from a copy, or use an earlier checkpoint";

// Throws an Error that names the file and the damaged part, and ends with the advice. Accepts files without hashes.
void check_hashes(const TensorFile& file, const std::filesystem::path& path, HashCheck which,
                  std::string_view advice = kDamageAdvice);

// Identifies everything that a file holds: its header hash if it has hashes, else the hash of its bytes.
std::string content_hash(const std::filesystem::path& path);
// Describes how a file differs from its expected content hash; empty if it does not. Throws Error if the file exists
// and cannot be opened, because it may be intact.
std::string find_changed_content(const std::filesystem::path& path, const std::string& expected);

}  // namespace sgf
