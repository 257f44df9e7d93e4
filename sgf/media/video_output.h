// Where the bytes of a video file go. Muxers go back to fill in what they learn late, so unlike other files of ours it
// can be written to in the middle.
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
  virtual bool seek(int64_t offset) = 0;  // whether bytes may go there
  virtual int64_t size() const = 0;
  virtual void sync() {}  // what came is on the disk, where it grows in place
  virtual void finish() = 0;
  virtual const std::filesystem::path& path() const = 0;
};

// In place: bytes reach the file of that name as they come, in order. Otherwise the file appears when finished. A pipe
// that nobody reads any longer is an Error, not the end of the process.
std::unique_ptr<VideoOutput> open_video_output(const std::filesystem::path& path, bool in_place);

// Bytes as they come, in order, to the standard output.
std::unique_ptr<VideoOutput> open_standard_output();

// A file that grew in place is taken up again. What is written first is its head, and must be what lies there already:
// another kind of file is refused, and untouched.
class ContinuedOutput : public VideoOutput {
 public:
  // After the head: what is written next goes after so many bytes, and cuts off what lies there. Until then the file is
  // untouched, so that all files of a video can be checked before one of them is changed.
  virtual void go_on_at(int64_t bytes) = 0;
};
std::unique_ptr<ContinuedOutput> continue_video_output(const std::filesystem::path& path);

}  // namespace sgf
