// Hashes in the metadata of our own checkpoints and states: one per tensor, so that several writers can hash their
// own, and one over the rest of the header. Other readers of safetensors see metadata they do not know. Torch-free.
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
inline constexpr const char* kHeaderHashKey = "sgf.header_hash";      // over all other metadata and all entries

// What the header says of one tensor; where its bytes lie is known by their hash.
std::string describe_for_hash(std::string_view name, DType dtype, std::span<const int64_t> shape);

// Puts both hashes into metadata, in place of earlier ones. Hashes are all of one length, so that a header can be laid
// out before they are known.
void set_hashes(std::map<std::string, std::string>& metadata, std::vector<std::string> descriptions,
                const std::map<std::string, std::string>& tensor_hashes);
void remove_hashes(std::map<std::string, std::string>& metadata);

// Either key is enough: a file that has lost the other one is damaged.
bool has_hashes(const TensorFile& file);

// What is damaged, in words; empty where nothing is, and for files without hashes.
std::string find_header_damage(const TensorFile& file);
// Reads every byte of every tensor; a file that has been read and has not changed since is not read again.
std::string find_tensor_damage(const TensorFile& file);

// How much of a file is held against its hashes when it is opened.
enum class HashCheck {
  kAll,     // header and tensors
  kHeader,  // for files whose bytes are known by another hash
};
// Throws an Error that names the file and the damaged part. Passes files without hashes.
void check_hashes(const TensorFile& file, const std::filesystem::path& path, HashCheck which);

// A name for all that a file holds: its header hash where it carries hashes, else the hash of its bytes.
std::string content_hash(const std::filesystem::path& path);
// What is wrong with a file that should have this content hash, in words; empty where nothing is. A file that is there
// and cannot be opened is an Error: it may be whole.
std::string find_changed_content(const std::filesystem::path& path, const std::string& expected);

}  // namespace sgf
