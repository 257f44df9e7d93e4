// The frames of a served stream on disk: an mp4 file that grows by one fragment per block, or PNG files where FFmpeg is
// missing. Each block is encoded on its own, so blocks of a branch are copied bytes of its parent. The order can still
// change, so it is not in this file; a download gets a head with the order.
#pragma once

#include "sgf/streaming/frame_sinks.h"
#include "sgf/streaming/generate_order.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sgf {

// Where the blocks of a file are.
struct MediaIndex {
  int64_t head_bytes = 0;     // before the first block
  std::vector<int64_t> ends;  // in bytes, after each block; empty for PNG files
  int64_t blocks = 0;

  // The first byte of a block, or of the next one to be made.
  int64_t begin_of(int64_t block) const { return block == 0 ? head_bytes : ends.at(static_cast<size_t>(block) - 1); }
};

// Whether served streams are mp4 files in this build.
bool serves_mp4();
// The media type that a browser needs to play this mp4 file: its codec with profile and level.
std::string media_type_of(const std::filesystem::path& file);

class StreamMedia {
 public:
  // A new file, or one that continues after the blocks of the index: what follows them is cut off.
  StreamMedia(std::filesystem::path path, const GenerateOrder& order, const MediaIndex& from);

  // Encodes a block. It is on disk when this returns.
  void add(const at::Tensor& pictures);
  const MediaIndex& index() const { return index_; }
  void add_last_to(MediaIndex& copy) const;  // brings a copy of the index that lacks the last block up to date
  SinkPlace place() const { return place_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<FrameSink> sink_;
  int64_t enlarge_;
  MediaIndex index_;
  SinkPlace place_;
};

// The blocks that a file has, up to `most`, found from its content.
MediaIndex index_media(const std::filesystem::path& path, const GenerateOrder& order, int64_t most);

// A new file with the first blocks of another one, at least one. Returns its index.
MediaIndex copy_media(const std::filesystem::path& from, const MediaIndex& index, int64_t blocks,
                      const std::filesystem::path& to, const Config& config);

// The beginning of an mp4 file with this order inside, up to its first block. Blocks of the order's stream can follow.
std::string media_head(const std::filesystem::path& folder, const GenerateOrder& order);

}  // namespace sgf
