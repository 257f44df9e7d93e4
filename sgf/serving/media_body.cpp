#include "sgf/serving/media_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sgf {
namespace {

void need_mp4() {
  if (!serves_mp4())
    throw HttpError(404, "no_mp4", "this build has no FFmpeg, so there is no mp4 file",
                    "GET /v1/streams/{id}/frames/{n}.png");
}

}  // namespace

MediaBody::MediaBody(const StreamEngine& engine, std::string id, std::string head, std::optional<int64_t> first,
                     bool follows)
    : engine_(engine), id_(std::move(id)), head_(std::move(head)), position_(first), follows_(follows) {
  look();
}

// How far the file has come.
bool MediaBody::look() {
  const MediaEnd now = engine_.media_end(id_);
  end_ = now.bytes;
  if (!position_ && now.head_bytes > 0) position_ = now.head_bytes;
  return now.is_over;
}

Piece MediaBody::next(size_t most) {
  if (!head_.empty()) {
    std::string part = head_.substr(0, most);
    head_.erase(0, part.size());
    return Piece::of(std::move(part));
  }
  const bool has_more = position_ && *position_ < end_;
  const bool is_over = !has_more && (!follows_ || look());
  if (!position_ || *position_ >= end_) return is_over ? Piece::end() : Piece::later();
  if (!file_) file_.emplace(engine_.file(id_).path);
  std::string bytes =
      file_->read(static_cast<uint64_t>(*position_), std::min(most, static_cast<size_t>(end_ - *position_)));
  if (bytes.empty()) return Piece::failed();  // somebody cut the file
  *position_ += static_cast<int64_t>(bytes.size());
  return Piece::of(std::move(bytes));
}

HttpResponse live_media(const StreamEngine& engine, const std::string& id, int64_t from_block) {
  need_mp4();
  const StreamFile file = engine.file(id);
  if (from_block < 0 || from_block > file.index.blocks)
    throw HttpError(416, "no_such_block",
                    fmt::format("from must be 0 to {}, the number of blocks, got {}", file.index.blocks, from_block));
  std::string head;  // from block 0 on it is the beginning of the file
  if (from_block > 0) head = OpenFile(file.path).read(0, static_cast<size_t>(file.index.head_bytes));
  HttpResponse response{.content_type = "video/mp4"};
  response.source = std::make_shared<MediaBody>(
      engine, id, std::move(head), from_block == 0 ? 0 : file.index.begin_of(from_block), /*follows=*/true);
  return response;
}

HttpResponse media_download(const StreamEngine& engine, const std::string& id) {
  need_mp4();
  const StreamFile file = engine.file(id);
  const bool follows = !file.is_live && !file.is_over;
  if (file.index.blocks == 0 && !follows)
    throw HttpError(409, "not_begun", fmt::format("stream {} has no block yet", id),
                    "ask again when blocks is above 0");
  auto body =
      std::make_shared<MediaBody>(engine, id, media_head(file.path.parent_path(), file.order), std::nullopt, follows);
  HttpResponse response{.content_type = "video/mp4"};
  response.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"{}.mp4\"", id));
  if (!follows) response.source_bytes = static_cast<uint64_t>(body->bytes());
  response.source = std::move(body);
  return response;
}

}  // namespace sgf
