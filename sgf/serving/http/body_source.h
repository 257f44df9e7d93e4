// A response body that is produced piece by piece: a growing file, a download, a stream of events.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace sgf {

// What a body has to give at this moment.
struct Piece {
  enum class Kind {
    kBytes,   // `bytes` follow
    kWait,    // nothing yet: ask again after HttpServer::wake(), or after `wait`
    kEnd,     // the body is complete
    kFailed,  // the body cannot be completed: the connection is closed, so that the client notices
  };

  static Piece of(std::string bytes) { return {Kind::kBytes, std::move(bytes), {}}; }
  static Piece end() { return {Kind::kEnd, {}, {}}; }
  static Piece failed() { return {Kind::kFailed, {}, {}}; }
  // The server never waits longer than its heartbeat.
  static Piece later(std::chrono::milliseconds wait = std::chrono::hours(1)) { return {Kind::kWait, {}, wait}; }

  Kind kind = Kind::kEnd;
  std::string bytes;
  std::chrono::milliseconds wait{0};
};

// One client's place in a body. The server calls `next` from a worker thread, one call at a time, and only when the
// client has taken everything before. It drops the source when the client leaves.
class BodySource {
 public:
  virtual ~BodySource() = default;

  // At most `most` bytes. It must not wait for anything but the disk. An exception counts as kFailed.
  virtual Piece next(size_t most) = 0;
};

}  // namespace sgf
