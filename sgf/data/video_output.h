// Where the bytes of a video file go. Muxers go back to fill in what they learn late, so unlike other files of ours it
// can be written to in the middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace sgf {

class VideoOutput {
 public:
  virtual ~VideoOutput() = default;

  virtual void write(std::span<const std::byte> bytes) = 0;
  virtual bool seek(int64_t offset) = 0;  // whether bytes may go there
  virtual int64_t size() const = 0;
  virtual void finish() = 0;
  virtual const std::filesystem::path& path() const = 0;
};

// In place: bytes reach the file of that name as they come, in order. Otherwise the file appears when finished.
std::unique_ptr<VideoOutput> open_video_output(const std::filesystem::path& path, bool in_place);

}  // namespace sgf
