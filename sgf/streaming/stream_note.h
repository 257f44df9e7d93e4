// Metadata of a saved stream: its order, and where its files end. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/media/sink_place.h"
#include "sgf/streaming/generate_order.h"

#include <filesystem>
#include <map>
#include <string>

namespace sgf {

struct StreamNote {
  GenerateOrder order;
  SinkPlace pictures;
  SinkPlace latents;  // of the file of latents, if one is written

  bool operator==(const StreamNote&) const = default;
};

std::map<std::string, std::string> to_metadata(const StreamNote& note);
// Throws if a value is missing or of the wrong type; the message names the file.
StreamNote read_stream_note(const TensorFile& file, const std::filesystem::path& path);

}  // namespace sgf
