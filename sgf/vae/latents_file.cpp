#include "sgf/vae/latents_file.h"

#include "sgf/core/error.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/tensors.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace sgf {
namespace {

nlohmann::json value_of(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  return found == file.metadata.end() ? nlohmann::json() : try_parse_json(found->second).value_or(nullptr);
}

}  // namespace

std::map<std::string, std::string> metadata_of(const LatentsNote& note) {
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;  // a file name may not be UTF-8
  std::map<std::string, std::string> metadata{{"kind", "\"latents\""},
                                              {"vae", nlohmann::json(note.vae).dump(-1, ' ', false, kReplace)}};
  if (note.fps) metadata["fps"] = nlohmann::json(*note.fps).dump();
  return metadata;
}

LatentsWriter::LatentsWriter(std::filesystem::path path, const LatentsNote& note)
    : path_(std::move(path)), metadata_(metadata_of(note)) {}

LatentsWriter::~LatentsWriter() {
  if (file_ && !is_finished_) file_->discard();
}

void LatentsWriter::add(const at::Tensor& latents) {
  SGF_CHECK(latents.dim() == 4, "latents of a file must be [F, C, h, w], got [{}]", fmt::join(latents.sizes(), ", "));
  if (!file_)
    file_.emplace(
        path_,
        LatentFileSettings{
            .channels = latents.size(1), .height = latents.size(2), .width = latents.size(3), .metadata = metadata_});
  file_->add(latents.detach().to(at::kCPU, at::kFloat));
  frames_ += latents.size(0);
}

void LatentsWriter::finish() {
  SGF_CHECK(frames_ > 0, "{}: there are no latents to write", path_.string());
  file_->finish();
  is_finished_ = true;
}

LatentsReader::LatentsReader(const std::filesystem::path& path) {
  const TensorFile file = open_tensor_file(path);
  latents_ = map_tensor(file, "latents");
  if (latents_.dim() == 5 && latents_.size(0) == 1) latents_ = latents_.squeeze(0);
  SGF_CHECK(latents_.dim() == 4 && latents_.is_floating_point() && latents_.size(0) > 0,
            "{}: `latents` must be [F, C, h, w] of a float type, got [{}] of {}", path.string(),
            fmt::join(latents_.sizes(), ", "), c10::toString(latents_.scalar_type()));
  if (const nlohmann::json fps = value_of(file, "fps"); fps.is_number() && fps.get<double>() > 0)
    note_.fps = fps.get<double>();
  if (const nlohmann::json vae = value_of(file, "vae"); vae.is_string()) note_.vae = vae.get<std::string>();
}

}  // namespace sgf
