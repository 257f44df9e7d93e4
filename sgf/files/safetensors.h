// The safetensors format: a JSON header that says where each tensor lies, then the tensors without a gap.
// Reads through a memory map and refuses whatever the official library refuses; writes atomically.
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

// Whether the first bytes are a header length and the start of a JSON object. Nothing else begins so: the bytes of a
// length may be a pickle's first, 80 02, but those of a pickle are no length.
bool is_safetensors(std::span<const std::byte> bytes);

// Also what is damaged: either of the two will do.
bool looks_like_safetensors(std::span<const std::byte> bytes);

// Entries come in the order of their bytes. Throws Error that names the file and the reason.
TensorFile read_safetensors(std::shared_ptr<const MappedFile> file);

using ByteSink = std::function<void(std::span<const std::byte>)>;

// One tensor to be written. `produce` is called once, when its turn comes, and hands its row-major bytes to
// the sink in as many pieces as it likes, so that a 28 GB file needs no 28 GB of memory.
struct OutgoingTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::function<void(const ByteSink&)> produce;
};

// The plain case: bytes that stay alive until the file is written.
OutgoingTensor outgoing_bytes(std::string name, DType dtype, std::vector<int64_t> shape,
                              std::span<const std::byte> bytes);

// Tensors lie in the order given, so equal input makes equal files. An earlier file is replaced only once the
// new one is complete and on disk. Metadata with the stamp of our own checkpoints (core/checkpoint_format.h) get the
// hashes of core/checkpoint_hashes.h.
void write_safetensors(const std::filesystem::path& path, const std::vector<OutgoingTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

// A file whose first tensor grows row by row, for as many rows as come, in the memory of one; the others lie behind it.
// Until finish() there is no file of that name, or the earlier one.
class GrowingSafetensors {
 public:
  // `rows` has the shape of a row, and no producer. `others` stay alive until the file is finished.
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
  std::optional<TensorHash> rows_hash_;        // where the file carries hashes
  std::map<std::string, std::string> hashes_;  // of its tensors
  uint64_t row_bytes_ = 0;
  uint64_t header_bytes_ = 0;
  int64_t rows_ = 0;
};

}  // namespace sgf
