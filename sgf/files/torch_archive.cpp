// The zip format: <name>/data.pkl describes the tensors, each <name>/data/<key> holds one storage, and <name>/byteorder
// the byte order.
#include "sgf/files/torch_archive.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/pickle.h"
#include "sgf/files/torch_legacy.h"
#include "sgf/files/torch_state.h"
#include "sgf/files/zip_directory.h"

#include <limits>
#include <string_view>

namespace sgf {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_zip(std::string_view text) { return text.starts_with("PK\x03\x04"); }

bool is_tar(std::string_view text) { return text.size() > 262 && text.substr(257, 5) == "ustar"; }

// Pickles of protocol 2 and later start with a mark; torch has never written earlier ones.
bool is_pickle(std::string_view text) { return text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5; }

// The folder inside the archive that contains all records, with its slash.
std::string record_prefix(const ZipDirectory& zip, const std::string& source) {
  constexpr std::string_view kPickle = "data.pkl";
  for (const ZipEntry& entry : zip.entries()) {
    const std::string_view name = entry.name;
    if (!name.ends_with(kPickle)) continue;
    const std::string_view prefix = name.substr(0, name.size() - kPickle.size());
    const bool is_top = prefix.empty() || prefix.find('/') == prefix.size() - 1;
    if (is_top) return std::string(prefix);
  }
  const std::string first = zip.entries().empty() ? "nothing" : in_quotes(zip.entries()[0].name);
  fail("{}: is a zip but was not written by torch.save: it has no data.pkl, its first record is {}", source, first);
}

void check_little_endian(const ZipDirectory& zip, const std::string& prefix, const std::string& source) {
  const ZipEntry* record = zip.find(prefix + "byteorder");
  if (record == nullptr) return;  // torch before 2.1 did not write it
  const std::string_view order = text_of(zip.stored_bytes(*record));
  SGF_CHECK(order == "little", "{}: its byte order is {}, expected 'little'", source, in_quotes(order));
}

ByteRange find_record(const ZipDirectory& zip, const std::string& prefix, const TorchStorage& storage,
                      const std::string& source) {
  const ZipEntry* record = zip.find(prefix + "data/" + storage.key);
  SGF_CHECK(record != nullptr, "{}: storage {} is missing", source, in_quotes(storage.key));
  zip.stored_bytes(*record);  // refuses compressed records
  const uint64_t size = storage.element_size();
  SGF_CHECK(storage.element_count <= record->size / size,
            "{}: storage {} has {} elements, but its record only {} bytes", source, in_quotes(storage.key),
            storage.element_count, record->size);
  return {.offset = record->offset + storage.view_begin * size, .size = storage.view_size * size};
}

TensorFile read_torch_zip(std::shared_ptr<const MappedFile> file, TorchArchiveOptions options) {
  const std::string source = file->path().string();
  const ZipDirectory zip(*file);
  const std::string prefix = record_prefix(zip, source);
  check_little_endian(zip, prefix, source);
  const Pickle pickle = read_pickle(zip.stored_bytes(*zip.find(prefix + "data.pkl")),
                                    {.source = source, .torchscript = options.torchscript});
  TensorFile tensors;
  tensors.container = Container::kTorchZip;
  tensors.files.push_back(std::move(file));
  const auto find_storage = [&](const TorchStorage& storage) { return find_record(zip, prefix, storage, source); };
  flatten_torch_state(pickle, find_storage, tensors);
  return tensors;
}

}  // namespace

bool looks_like_torch_archive(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  // A safetensors header may have exactly the length that reads "PK"; the brace after it tells the two apart.
  const bool is_safetensors = text.size() > 8 && text.substr(4, 5) == std::string_view("\0\0\0\0{", 5);
  return (is_zip(text) && !is_safetensors) || is_pickle(text) || is_tar(text);
}

TensorFile read_torch_archive(std::shared_ptr<const MappedFile> file, TorchArchiveOptions options) {
  const std::string_view text = text_of(file->bytes());
  const std::string source = file->path().string();
  if (is_zip(text)) return read_torch_zip(std::move(file), options);
  if (is_pickle(text)) return read_torch_legacy(std::move(file), options);
  SGF_CHECK(!is_tar(text), "{}: is the tar format of torch before 0.2; load it in Python and torch.save it again",
            source);
  fail("{}: was not written by torch.save", source);
}

}  // namespace sgf
