#include "sgf/vae/latents_file.h"

#include "sgf/core/error.h"
#include "sgf/core/tensors.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <span>

namespace sgf {
namespace {

// The header names the number of frames, which is learnt last: its place is kept, filled up with spaces.
constexpr size_t kHeaderBytes = 4096;

std::map<std::string, std::string> metadata_of(const LatentsNote& note) {
  std::map<std::string, std::string> metadata{{"kind", "\"latents\""}, {"vae", nlohmann::json(note.vae).dump()}};
  if (note.fps) metadata["fps"] = nlohmann::json(*note.fps).dump();
  return metadata;
}

nlohmann::json value_of(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) return nullptr;
  const nlohmann::json value = nlohmann::json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? nlohmann::json(nullptr) : value;
}

}  // namespace

LatentsWriter::LatentsWriter(const std::filesystem::path& path, const LatentsNote& note)
    : file_(path), metadata_(metadata_of(note)) {
  file_.write(std::string(kHeaderBytes, ' '));
}

void LatentsWriter::add(const at::Tensor& latents) {
  check(latents.dim() == 4, "vae", "latents of a file are [F, C, h, w], got [{}]", fmt::join(latents.sizes(), ", "));
  const std::vector<int64_t> frame = latents.sizes().slice(1).vec();
  check(frames_ == 0 || frame == frame_, "vae", "latents of a file are all [{}], got [{}]", fmt::join(frame_, ", "),
        fmt::join(frame, ", "));
  const at::Tensor dense = latents.detach().to(at::kCPU, at::kFloat).contiguous();
  file_.write(std::span(static_cast<const std::byte*>(dense.const_data_ptr()), dense.nbytes()));
  frame_ = frame;
  frames_ += latents.size(0);
}

std::string LatentsWriter::header() const {
  std::vector<int64_t> shape{frames_};
  shape.insert(shape.end(), frame_.begin(), frame_.end());
  const nlohmann::json json{
      {"__metadata__", metadata_},
      {"latents",
       {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {uint64_t{0}, file_.bytes_written() - kHeaderBytes}}}}};
  std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  check(text.size() + 8 <= kHeaderBytes, "vae", "a name of {} characters is too long for a file of latents",
        metadata_.at("vae").size());
  text.resize(kHeaderBytes - 8, ' ');
  return text;
}

void LatentsWriter::finish() {
  check(frames_ > 0, "vae", "{}: there are no latents to write", file_.target().string());
  const std::string text = header();
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>((uint64_t{text.size()} >> (8 * i)) & 0xff));
  bytes += text;
  file_.write_at(0, std::as_bytes(std::span(bytes)));
  file_.commit();
}

LatentsReader::LatentsReader(const std::filesystem::path& path) {
  const TensorFile file = open_tensor_file(path);
  latents_ = map_tensor(file, "latents");
  if (latents_.dim() == 5 && latents_.size(0) == 1) latents_ = latents_.squeeze(0);
  check(latents_.dim() == 4 && latents_.is_floating_point() && latents_.size(0) > 0, "vae",
        "{}: `latents` is [F, C, h, w] of a float type, got [{}] of {}", path.string(),
        fmt::join(latents_.sizes(), ", "), c10::toString(latents_.scalar_type()));
  if (const nlohmann::json fps = value_of(file, "fps"); fps.is_number() && fps.get<double>() > 0)
    note_.fps = fps.get<double>();
  if (const nlohmann::json vae = value_of(file, "vae"); vae.is_string()) note_.vae = vae.get<std::string>();
}

}  // namespace sgf
