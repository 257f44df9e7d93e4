// The safetensors format: a JSON header that says where each tensor lies, then the tensors without gaps. Reads through
// a memory map, refuses whatever the official library refuses, and writes atomically.
#pragma once

#include "sgf/files/atomic_file.h"
#include "sgf/files/tensor_file.h"
#include "sgf/files/tensor_hash.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sgf {

// Whether the first bytes are a header length and the start of a JSON object. Nothing else starts like this: a length
// may start with the bytes 80 02 of a pickle, but a pickle does not start with a valid length.
bool is_safetensors(std::span<const std::byte> bytes);

// Also accepts damaged files: one of the two signs is enough.
bool looks_like_safetensors(std::span<const std::byte> bytes);

// Entries are in the order of their bytes. Throws an Error that names the file and the reason.
TensorFile read_safetensors(std::shared_ptr<const MappedFile> file);

using ByteSink = std::function<void(std::span<const std::byte>)>;

// One tensor to be written. `produce` is called once, when its turn comes. It passes its row-major bytes to the sink in
// any number of pieces, so a 28 GB file does not need 28 GB of memory.
struct OutgoingTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::function<void(const ByteSink&)> produce;
};

// The plain case: bytes that stay valid until the file is written.
OutgoingTensor outgoing_bytes(std::string name, DType dtype, std::vector<int64_t> shape,
                              std::span<const std::byte> bytes);

// Tensors are written in the given order, so equal input makes equal files. An existing file is replaced only once the
// new one is complete and on disk. If the metadata has the stamp of sgf's own checkpoints (files/checkpoint_format.h),
// the hashes of files/checkpoint_hashes.h are added.
void write_safetensors(const std::filesystem::path& path, const std::vector<OutgoingTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

// A file whose first tensor grows row by row, in the memory of one row; the other tensors follow it. Until finish() the
// file does not appear, and an existing one of that name stays unchanged.
class GrowingSafetensors {
 public:
  // `rows` has the shape of one row and no producer. `others` must stay valid until the file is finished.
  GrowingSafetensors(const std::filesystem::path& path, OutgoingTensor rows, const std::vector<OutgoingTensor>& others,
                     std::map<std::string, std::string> metadata);

  void add(std::span<const std::byte> row);
  int64_t rows() const { return rows_; }
  void finish();

 private:
  std::string header() const;

  AtomicFile file_;
  std::vector<OutgoingTensor> tensors_;
  std::map<std::string, std::string> metadata_;
  std::optional<TensorHash> rows_hash_;        // if the file carries hashes
  std::map<std::string, std::string> hashes_;  // of its tensors
  uint64_t row_bytes_ = 0;
  uint64_t header_bytes_ = 0;
  int64_t rows_ = 0;
};

}  // namespace sgf
