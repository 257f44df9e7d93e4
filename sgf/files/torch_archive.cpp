// The zip format: <name>/data.pkl describes the tensors, each <name>/data/<key> holds one storage, and <name>/byteorder
// the byte order.
#include "sgf/files/torch_archive.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/byte_reader.h"
#include "sgf/files/pickle.h"
#include "sgf/files/torch_state.h"
#include "sgf/files/zip_directory.h"

#include <limits>
#include <string_view>
#include <unordered_map>

namespace sgf {
namespace {

// The format of torch.save before 1.6:
// magic number | protocol version | system info | the object | storage keys | count and bytes of each storage
constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";  // 0x1950a86a20f9469cfc6c
constexpr int64_t kLegacyVersion = 1001;

Pickle next_pickle(ByteReader& in, std::span<const std::byte> bytes, bool torchscript) {
  Pickle pickle = read_pickle(bytes.subspan(in.position()), {.source = in.source(), .torchscript = torchscript});
  in.seek(in.position() + pickle.byte_count);
  return pickle;
}

void check_magic(const Pickle& pickle, const std::string& source) {
  const auto* number = pickle.root->as<PickleLong>();
  SGF_CHECK(number && number->data == kMagic, "{}: is a pickle, but was not written by torch.save", source);
}

void check_version(const Pickle& pickle, const std::string& source) {
  const auto* number = pickle.root->as<int64_t>();
  SGF_CHECK(number && *number == kLegacyVersion, "{}: is a legacy torch file, but not of version {}", source,
            kLegacyVersion);
}

void check_little_endian(const Pickle& pickle, const std::string& source) {
  const auto* info = pickle.root->as<PickleDict>();
  SGF_CHECK(info != nullptr, "{}: its system info is not a dict", source);
  for (const auto& [key, value] : info->items) {
    const auto* name = key->as<std::string>();
    if (!name || *name != "little_endian") continue;
    const auto* flag = value->as<bool>();
    SGF_CHECK(flag && *flag, "{}: was written by a big-endian machine", source);
  }
}

// Only the tensors say how large the elements of each storage are.
std::unordered_map<std::string, TorchStorage> storages_named_in(const Pickle& pickle, const std::string& source) {
  std::unordered_map<std::string, TorchStorage> storages;
  for (const PickleValue& value : pickle.values) {
    const auto* persistent = value.as<PicklePersistent>();
    if (!persistent) continue;
    TorchStorage storage = read_torch_storage(*persistent, source);
    const auto [known, is_new] = storages.emplace(storage.key, storage);
    SGF_CHECK(is_new || known->second.element_size() == storage.element_size(),
              "{}: storage {} is used with elements of {} and of {} bytes", source, in_quotes(storage.key),
              known->second.element_size(), storage.element_size());
  }
  return storages;
}

// Skips one storage and returns where its elements are.
ByteRange next_storage(ByteReader& in, const TorchStorage& storage) {
  const uint64_t count = in.u64();
  SGF_CHECK(count <= in.remaining() / storage.element_size(),
            "{}: is cut short: storage {} has {} elements of {} bytes, {} bytes are left", in.source(),
            in_quotes(storage.key), count, storage.element_size(), in.remaining());
  const ByteRange range{.offset = in.position(), .size = count * storage.element_size()};
  in.seek(range.offset + range.size);
  return range;
}

std::unordered_map<std::string, ByteRange> locate_storages(ByteReader& in, const Pickle& object, const Pickle& keys) {
  const auto storages = storages_named_in(object, in.source());
  const auto* list = keys.root->as<PickleList>();
  SGF_CHECK(list != nullptr, "{}: has no list of storages", in.source());
  std::unordered_map<std::string, ByteRange> ranges;
  for (size_t i = 0; i < list->items.size(); ++i) {
    const auto& key = pickle_item<std::string>(list->items, i, "a storage key", in.source());
    const auto known = storages.find(key);
    SGF_CHECK(known != storages.end(), "{}: no tensor uses storage {}", in.source(), in_quotes(key));
    const bool is_new = ranges.emplace(key, next_storage(in, known->second)).second;
    SGF_CHECK(is_new, "{}: two storages are named {}", in.source(), in_quotes(key));
  }
  return ranges;
}

// The whole storage as written, narrowed to the view.
ByteRange range_of(const std::unordered_map<std::string, ByteRange>& ranges, const TorchStorage& storage,
                   const std::string& source) {
  const auto found = ranges.find(storage.key);
  SGF_CHECK(found != ranges.end(), "{}: storage {} is missing", source, in_quotes(storage.key));
  const ByteRange whole = found->second;
  const uint64_t count = whole.size / storage.element_size();
  SGF_CHECK(storage.element_count == count, "{}: storage {} has {} elements, but {} were written", source,
            in_quotes(storage.key), storage.element_count, count);
  return {.offset = whole.offset + storage.view_begin * storage.element_size(),
          .size = storage.view_size * storage.element_size()};
}

TensorFile read_torch_legacy(std::shared_ptr<const MappedFile> file, TorchArchiveOptions options) {
  const auto bytes = file->bytes();
  ByteReader in(bytes, file->path().string());
  check_magic(next_pickle(in, bytes, false), in.source());
  check_version(next_pickle(in, bytes, false), in.source());
  check_little_endian(next_pickle(in, bytes, false), in.source());
  const Pickle object = next_pickle(in, bytes, options.torchscript);
  const Pickle keys = next_pickle(in, bytes, false);
  const auto ranges = locate_storages(in, object, keys);

  TensorFile tensors;
  tensors.container = Container::kTorchLegacy;
  tensors.files.push_back(std::move(file));
  const auto find_storage = [&](const TorchStorage& storage) { return range_of(ranges, storage, in.source()); };
  flatten_torch_state(object, find_storage, tensors);
  return tensors;
}

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
