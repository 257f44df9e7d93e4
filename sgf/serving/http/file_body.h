// Files as response bodies: whole, or the range that a client asks for.
#pragma once

#include "sgf/serving/http/http_message.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace sgf {

// A regular file, open for reading at any place. A link in its place is refused.
class OpenFile {
 public:
  // Throws HttpError 404 if there is no such file.
  explicit OpenFile(const std::filesystem::path& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // At this moment: another thread may append.
  uint64_t size() const;
  // Fewer than `bytes` only at the end of the file.
  std::string read(uint64_t first, size_t bytes) const;

 private:
  std::string name_;
  int descriptor_ = -1;
};

struct FileAnswer {
  std::filesystem::path path;
  std::string content_type;
  std::string download_name;  // empty: shown in the page, not saved
};

// 200 with the content that the file has now, 206 with the part that the Range header asks for, or 416.
HttpResponse file_response(const HttpRequest& request, const FileAnswer& answer);

}  // namespace sgf
