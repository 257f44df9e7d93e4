// A stream's video as a response body: blocks that exist, then new ones as they are made.
#pragma once

#include "sgf/serving/http/file_body.h"
#include "sgf/serving/stream_engine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sgf {

class MediaBody : public BodySource {
 public:
  // `head`, then the file from byte `first` on, or without it from its first block on. Without `follows` it ends where
  // the file ends now, else with the stream.
  MediaBody(const StreamEngine& engine, std::string id, std::string head, std::optional<int64_t> first, bool follows);

  Piece next(size_t most) override;

  int64_t bytes() const { return static_cast<int64_t>(head_.size()) + end_ - *position_; }  // of a file that exists

 private:
  bool look();  // whether the stream is over

  const StreamEngine& engine_;
  std::string id_, head_;
  std::optional<OpenFile> file_;     // opened when the stream has one
  std::optional<int64_t> position_;  // empty until the file exists
  int64_t end_ = 0;
  bool follows_;
};

// GET …/media: the file from this block on, after its head.
HttpResponse live_media(const StreamEngine& engine, const std::string& id, int64_t from_block);

// GET …/content: an mp4 file with its order inside. A live stream's has the blocks made so far; that of a video grows
// until it is complete.
HttpResponse media_download(const StreamEngine& engine, const std::string& id);

}  // namespace sgf
