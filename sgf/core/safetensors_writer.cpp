// Writing safetensors: the header from shapes alone, then each tensor's bytes as its producer yields them.
#include "sgf/core/safetensors.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <nlohmann/json.hpp>

#include <set>

namespace sgf {
namespace {

std::string json_text(const std::string& text, const std::string& path) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail("core", "{}: {} is not UTF-8, which the format asks for", path, in_quotes(text));
  }
}

uint64_t size_of(const OutgoingTensor& tensor, const std::string& path) {
  const std::optional<uint64_t> size = dense_byte_count(tensor.dtype, tensor.shape);
  check(size.has_value(), "core", "{}: tensor {} has no size: shape [{}]", path, in_quotes(tensor.name),
        fmt::join(tensor.shape, ", "));
  return *size;
}

void check_names(const std::vector<OutgoingTensor>& tensors, const std::string& path) {
  std::set<std::string_view> names{"__metadata__"};
  for (const OutgoingTensor& tensor : tensors) {
    check(names.insert(tensor.name).second, "core", "{}: the name {} is taken", path, in_quotes(tensor.name));
  }
}

std::string metadata_field(const std::map<std::string, std::string>& metadata, const std::string& path) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : metadata) {
    pairs.push_back(fmt::format("{}:{}", json_text(key, path), json_text(value, path)));
  }
  return fmt::format("\"__metadata__\":{{{}}}", fmt::join(pairs, ","));
}

// Written by hand because the order of the fields is part of the promise.
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

void write_tensor(AtomicFile& file, const OutgoingTensor& tensor, const std::string& path) {
  const uint64_t begin = file.bytes_written();
  tensor.produce([&file](std::span<const std::byte> bytes) { file.write(bytes); });
  const uint64_t came = file.bytes_written() - begin;
  check(came == size_of(tensor, path), "core", "{}: tensor {} of {} bytes was given {}", path, in_quotes(tensor.name),
        size_of(tensor, path), came);
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
  const std::string header = header_text(tensors, metadata, path.string());
  const uint64_t length = header.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const OutgoingTensor& tensor : tensors) write_tensor(file, tensor, path.string());
  file.commit();
}

// The header is as long for any number of rows up to this one.
constexpr int64_t kMostRows = 1'000'000'000;

GrowingSafetensors::GrowingSafetensors(const std::filesystem::path& path, OutgoingTensor rows,
                                       const std::vector<OutgoingTensor>& others,
                                       std::map<std::string, std::string> metadata)
    : file_(path), tensors_{std::move(rows)}, metadata_(std::move(metadata)) {
  row_bytes_ = size_of(tensors_.front(), path.string());
  tensors_.insert(tensors_.end(), others.begin(), others.end());
  check_names(tensors_, path.string());
  tensors_.front().shape.insert(tensors_.front().shape.begin(), kMostRows);
  header_bytes_ = header().size();
  file_.write(std::string(sizeof(header_bytes_) + header_bytes_, ' '));
}

std::string GrowingSafetensors::header() const { return header_text(tensors_, metadata_, file_.target().string()); }

void GrowingSafetensors::add(std::span<const std::byte> row) {
  check(row.size() == row_bytes_ && rows_ < kMostRows, "core", "{}: a row has {} bytes, got {} after {} rows",
        file_.target().string(), row_bytes_, row.size(), rows_);
  file_.write(row);
  ++rows_;
}

void GrowingSafetensors::finish() {
  tensors_.front().shape.front() = rows_;
  for (size_t i = 1; i < tensors_.size(); ++i) write_tensor(file_, tensors_[i], file_.target().string());
  std::string text = header();
  text.resize(header_bytes_, ' ');
  file_.write_at(0, std::as_bytes(std::span(&header_bytes_, 1)));
  file_.write_at(sizeof(header_bytes_), std::as_bytes(std::span(text)));
  file_.commit();
}

}  // namespace sgf
