// Writing safetensors: the header from the shapes alone, then each tensor's bytes as its producer yields them. If the
// file carries hashes, they are filled into the header at the end.
#include "sgf/files/safetensors.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/checkpoint_hashes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace sgf {
namespace {

std::string json_text(const std::string& text, const std::string& path) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail("{}: {} is not UTF-8, which the format requires", path, in_quotes(text));
  }
}

uint64_t size_of(const OutgoingTensor& tensor, const std::string& path) {
  const std::optional<uint64_t> size = dense_byte_count(tensor.dtype, tensor.shape);
  SGF_CHECK(size.has_value(), "{}: tensor {} is too large or has a negative dimension: shape [{}]", path,
            in_quotes(tensor.name), fmt::join(tensor.shape, ", "));
  return *size;
}

void check_names(const std::vector<OutgoingTensor>& tensors, const std::string& path) {
  std::set<std::string_view> names{"__metadata__"};
  for (const OutgoingTensor& tensor : tensors) {
    SGF_CHECK(names.insert(tensor.name).second, "{}: the name {} is already used", path, in_quotes(tensor.name));
  }
}

std::string metadata_field(const std::map<std::string, std::string>& metadata, const std::string& path) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : metadata) {
    pairs.push_back(fmt::format("{}:{}", json_text(key, path), json_text(value, path)));
  }
  return fmt::format("\"__metadata__\":{{{}}}", fmt::join(pairs, ","));
}

// Written by hand because the order of the fields must stay fixed.
std::string header_text(const std::vector<OutgoingTensor>& tensors, const std::map<std::string, std::string>& metadata,
                        const std::string& path) {
  std::vector<std::string> fields;
  if (!metadata.empty()) fields.push_back(metadata_field(metadata, path));
  uint64_t begin = 0;
  for (const OutgoingTensor& tensor : tensors) {
    const uint64_t end = begin + size_of(tensor, path);
    fields.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                                 json_text(tensor.name, path), name_of(tensor.dtype), fmt::join(tensor.shape, ","),
                                 begin, end));
    begin = end;
  }
  std::string header = fmt::format("{{{}}}", fmt::join(fields, ","));
  header.resize((header.size() + 7) / 8 * 8, ' ');  // the data begins aligned
  return header;
}

using WrittenHashes = std::map<std::string, std::string>;  // per tensor

bool gets_hashes(const std::map<std::string, std::string>& metadata) { return metadata.contains(kFormatVersionKey); }

WrittenHashes unknown_hashes(const std::vector<OutgoingTensor>& tensors) {
  WrittenHashes hashes;
  for (const OutgoingTensor& tensor : tensors) hashes[tensor.name] = kNoTensorHash;
  return hashes;
}

// Metadata copied from another file may contain its hashes.
std::map<std::string, std::string> hashed_metadata(std::map<std::string, std::string> metadata,
                                                   const std::vector<OutgoingTensor>& tensors,
                                                   const WrittenHashes& hashes) {
  remove_hashes(metadata);
  if (!gets_hashes(metadata)) return metadata;
  std::vector<std::string> descriptions;
  for (const OutgoingTensor& tensor : tensors)
    descriptions.push_back(describe_for_hash(tensor.name, tensor.dtype, tensor.shape));
  set_hashes(metadata, std::move(descriptions), hashes);
  return metadata;
}

// Written in pieces that are still in the CPU cache when the system copies them: hashing a whole tensor first costs
// twice as much.
void write_hashed(AtomicFile& file, std::span<const std::byte> bytes, TensorHash& hash) {
  constexpr size_t kCached = 256 << 10;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kCached));
    hash.update(piece);
    file.write(piece);
    bytes = bytes.subspan(piece.size());
  }
}

// Returns the hash of the bytes if one is requested.
std::string write_tensor(AtomicFile& file, const OutgoingTensor& tensor, const std::string& path, bool is_hashed) {
  const uint64_t begin = file.bytes_written();
  TensorHash hash;
  tensor.produce(
      [&](std::span<const std::byte> bytes) { is_hashed ? write_hashed(file, bytes, hash) : file.write(bytes); });
  const uint64_t came = file.bytes_written() - begin;
  SGF_CHECK(came == size_of(tensor, path), "{}: tensor {} needs {} bytes, got {}", path, in_quotes(tensor.name),
            size_of(tensor, path), came);
  return hash.hex();
}

void fill_header(AtomicFile& file, const std::string& header) {
  file.write_at(sizeof(uint64_t), std::as_bytes(std::span(header)));
}

}  // namespace

OutgoingTensor outgoing_bytes(std::string name, DType dtype, std::vector<int64_t> shape,
                              std::span<const std::byte> bytes) {
  return {.name = std::move(name), .dtype = dtype, .shape = std::move(shape), .produce = [bytes](const ByteSink& sink) {
            sink(bytes);
          }};
}

void write_safetensors(const std::filesystem::path& path, const std::vector<OutgoingTensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  check_names(tensors, path.string());
  WrittenHashes hashes = unknown_hashes(tensors);
  const auto header = [&] { return header_text(tensors, hashed_metadata(metadata, tensors, hashes), path.string()); };
  const std::string first_header = header();
  const uint64_t length = first_header.size();
  const bool is_hashed = gets_hashes(metadata);
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(first_header);
  for (const OutgoingTensor& tensor : tensors)
    hashes[tensor.name] = write_tensor(file, tensor, path.string(), is_hashed);
  if (is_hashed) fill_header(file, header());
  file.commit();
}

// The header has the same length for any number of rows up to this one.
constexpr int64_t kMostRows = 1'000'000'000;

GrowingSafetensors::GrowingSafetensors(const std::filesystem::path& path, OutgoingTensor rows,
                                       const std::vector<OutgoingTensor>& others,
                                       std::map<std::string, std::string> metadata)
    : file_(path), tensors_{std::move(rows)}, metadata_(std::move(metadata)) {
  row_bytes_ = size_of(tensors_.front(), path.string());
  tensors_.insert(tensors_.end(), others.begin(), others.end());
  check_names(tensors_, path.string());
  tensors_.front().shape.insert(tensors_.front().shape.begin(), kMostRows);
  if (gets_hashes(metadata_)) rows_hash_.emplace();
  hashes_ = unknown_hashes(tensors_);
  header_bytes_ = header().size();
  file_.write(std::string(sizeof(header_bytes_) + header_bytes_, ' '));
}

std::string GrowingSafetensors::header() const {
  return header_text(tensors_, hashed_metadata(metadata_, tensors_, hashes_), file_.target().string());
}

void GrowingSafetensors::add(std::span<const std::byte> row) {
  SGF_CHECK(row.size() == row_bytes_ && rows_ < kMostRows, "{}: a row must have {} bytes, got {} after {} rows",
            file_.target().string(), row_bytes_, row.size(), rows_);
  rows_hash_ ? write_hashed(file_, row, *rows_hash_) : file_.write(row);
  ++rows_;
}

void GrowingSafetensors::finish() {
  tensors_.front().shape.front() = rows_;
  if (rows_hash_) hashes_[tensors_.front().name] = rows_hash_->hex();
  for (size_t i = 1; i < tensors_.size(); ++i)
    hashes_[tensors_[i].name] = write_tensor(file_, tensors_[i], file_.target().string(), rows_hash_.has_value());
  std::string text = header();
  text.resize(header_bytes_, ' ');
  file_.write_at(0, std::as_bytes(std::span(&header_bytes_, 1)));
  fill_header(file_, text);
  file_.commit();
}

}  // namespace sgf
