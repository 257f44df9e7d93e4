// Where the bytes of a video file go. Muxers seek back to fill in late values, so unlike AtomicFile this allows writes
// in the middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace sgf {

class VideoOutput {
 public:
  virtual ~VideoOutput() = default;

  virtual void write(std::span<const std::byte> bytes) = 0;
  void write_text(std::string_view text) { write(std::as_bytes(std::span(text))); }
  virtual bool seek(int64_t offset) = 0;  // returns whether it can
  virtual int64_t size() const = 0;
  virtual void sync() {}  // everything written is on disk, if the file grows in place
  virtual void finish() = 0;
  virtual const std::filesystem::path& path() const = 0;
};

// In place: bytes reach the file as they come, in order. Otherwise the file appears when it is finished. A pipe whose
// reader has closed is an Error and does not end the process.
std::unique_ptr<VideoOutput> open_video_output(const std::filesystem::path& path, bool in_place);

// Writes bytes as they come, in order, to the standard output.
std::unique_ptr<VideoOutput> open_standard_output();

// Continues a file that grew in place. The header is written first and must equal the bytes already there; another kind
// of file is refused and left unchanged.
class ContinuedOutput : public VideoOutput {
 public:
  // Called after the header: the next write goes to this offset and cuts off everything after it. Until then the file
  // is unchanged, so that all files of a video can be checked before one of them is modified.
  virtual void go_on_at(int64_t bytes) = 0;
};
std::unique_ptr<ContinuedOutput> continue_video_output(const std::filesystem::path& path);

}  // namespace sgf
