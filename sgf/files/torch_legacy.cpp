// magic number | protocol version | system info | the object | storage keys | count and bytes of each storage
#include "sgf/files/torch_legacy.h"

#include "sgf/core/in_quotes.h"
#include "sgf/files/byte_reader.h"
#include "sgf/files/pickle.h"
#include "sgf/files/torch_state.h"

#include <unordered_map>

namespace sgf {
namespace {

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

}  // namespace

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

}  // namespace sgf
