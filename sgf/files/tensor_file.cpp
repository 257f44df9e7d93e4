// The index, and the choice of the reader by a file's first bytes.
#include "sgf/files/tensor_file.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/out_of_memory.h"
#include "sgf/files/path_kind.h"
#include "sgf/files/safetensors.h"
#include "sgf/files/tensor_folder.h"
#include "sgf/files/torch_archive.h"

#include <algorithm>
#include <limits>

namespace sgf {

int64_t TensorEntry::element_count() const {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

bool TensorEntry::is_contiguous() const {
  if (element_count() == 0) return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;  // its stride does not matter
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::string describe_container(const TensorFile& file) {
  const std::string name(enum_name(file.container));
  return file.shards == 0 ? name : fmt::format("{}, {} shards", name, file.shards);
}

void TensorFile::add(TensorEntry entry) {
  const MappedFile& file = *files.at(entry.file);
  const uint64_t size = file.bytes().size();
  SGF_CHECK(entry.offset <= size && entry.extent <= size - entry.offset,
            "{}: tensor {} lies at bytes [{}, +{}), outside the file of {} bytes", file.path().string(),
            in_quotes(entry.name), entry.offset, entry.extent, size);
  const bool is_new = position_.emplace(entry.name, entries.size()).second;
  SGF_CHECK(is_new, "{}: two tensors are named {}", file.path().string(), in_quotes(entry.name));
  entries.push_back(std::move(entry));
}

const TensorEntry* TensorFile::find(std::string_view name) const {
  const auto found = position_.find(std::string(name));
  return found == position_.end() ? nullptr : &entries[found->second];
}

std::span<const std::byte> TensorFile::bytes(const TensorEntry& entry) const {
  return files.at(entry.file)->bytes().subspan(entry.offset, entry.extent);
}

TensorFile open_tensor_file(const std::filesystem::path& path) try {
  if (is_folder(path)) return open_tensor_folder(path);
  if (is_shard_index(path)) return open_shard_index(path);
  return read_tensor_file(MappedFile::open(path));
} catch (const std::bad_alloc& error) {
  rethrow_out_of_memory(error, "reading " + path.string());
}

TensorFile read_tensor_file(std::shared_ptr<const MappedFile> file) {
  const std::string path = file->path().string();
  SGF_CHECK(!file->bytes().empty(), "{}: is empty", path);
  if (is_safetensors(file->bytes())) return read_safetensors(std::move(file));
  if (looks_like_torch_archive(file->bytes())) return read_torch_archive(std::move(file));
  if (looks_like_safetensors(file->bytes())) return read_safetensors(std::move(file));

  const auto head = file->bytes().first(std::min<size_t>(file->bytes().size(), 16));
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  SGF_CHECK(!text.starts_with("version https:"), "{}: is a git-lfs pointer, not the weights; run git lfs pull", path);
  SGF_CHECK(!text.starts_with("GGUF"), "{}: is a GGUF file, expected a safetensors or torch.save file", path);
  fail("{}: is neither safetensors nor written by torch.save; it starts with {}", path, in_quotes(text));
}

std::optional<uint64_t> dense_byte_count(DType dtype, std::span<const int64_t> shape) {
  int64_t bytes = byte_size(dtype);
  for (const int64_t dim : shape) {
    // A zero counts as one here: strides are products of the other dimensions and must also fit.
    if (dim < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(dim, 1), &bytes)) return std::nullopt;
  }
  const bool is_empty = std::ranges::find(shape, 0) != shape.end();
  return is_empty ? 0 : static_cast<uint64_t>(bytes);
}

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

}  // namespace sgf
