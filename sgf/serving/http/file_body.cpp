#include "sgf/serving/http/file_body.h"

#include "sgf/core/in_quotes.h"
#include "sgf/serving/http/request_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sgf {
namespace {

class FileSource : public BodySource {
 public:
  FileSource(std::unique_ptr<OpenFile> file, ByteRange range) : file_(std::move(file)), rest_(range) {}

  Piece next(size_t most) override {
    if (rest_.bytes == 0) return Piece::end();
    std::string bytes = file_->read(rest_.first, std::min<uint64_t>(most, rest_.bytes));
    if (bytes.empty()) return Piece::failed();  // the file became shorter
    rest_.first += bytes.size();
    rest_.bytes -= bytes.size();
    return Piece::of(std::move(bytes));
  }

 private:
  std::unique_ptr<OpenFile> file_;
  ByteRange rest_;
};

// Old browsers read the plain name, others the encoded one.
std::string disposition(const std::string& name) {
  std::string plain = name;
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ' ';
  };
  std::ranges::replace_if(
      plain, [&](char c) { return !is_plain(static_cast<unsigned char>(c)); }, '_');
  const std::string encoded = target_text({.path = {name}, .query = {}}).substr(1);
  return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", plain, encoded);
}

}  // namespace

OpenFile::OpenFile(const std::filesystem::path& path)
    : name_(path.filename().string()),
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
  struct stat facts {};
  if (descriptor_ >= 0 && ::fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode)) return;
  const bool is_short_of_files = descriptor_ < 0 && (errno == EMFILE || errno == ENFILE);
  if (descriptor_ >= 0) ::close(descriptor_);
  if (is_short_of_files) throw HttpError(503, "busy", "too many files are open", "try again");
  throw HttpError(404, "not_found", fmt::format("there is no file {}", in_quotes(name_)));
}

OpenFile::~OpenFile() { ::close(descriptor_); }

uint64_t OpenFile::size() const {
  struct stat facts {};
  SGF_CHECK(::fstat(descriptor_, &facts) == 0, "{}: cannot be read: {}", in_quotes(name_), std::strerror(errno));
  return static_cast<uint64_t>(facts.st_size);
}

std::string OpenFile::read(uint64_t first, size_t bytes) const {
  std::string content(bytes, '\0');
  size_t have = 0;
  while (have < bytes) {
    const ssize_t got = ::pread(descriptor_, content.data() + have, bytes - have, static_cast<off_t>(first + have));
    if (got < 0 && errno == EINTR) continue;
    SGF_CHECK(got >= 0, "{}: cannot be read: {}", in_quotes(name_), std::strerror(errno));
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  content.resize(have);
  return content;
}

HttpResponse file_response(const HttpRequest& request, const FileAnswer& answer) {
  auto file = std::make_unique<OpenFile>(answer.path);
  const uint64_t size = file->size();
  const std::string* asked = request.header("range");
  // If-Range asks for a part only of the version that the client has; no version is told here, so it gets the whole.
  const bool takes_parts = asked != nullptr && request.header("if-range") == nullptr;
  const std::optional<ByteRange> part = takes_parts ? requested_range(*asked, size) : std::nullopt;
  HttpResponse response;
  response.headers.emplace_back("Accept-Ranges", "bytes");
  if (part && part->bytes == 0) {
    response = error_response(
        {416, "wrong_range", fmt::format("the file has {} bytes, {} is outside", size, in_quotes(*asked))});
    response.headers.emplace_back("Content-Range", fmt::format("bytes */{}", size));
    return response;
  }
  const ByteRange range = part.value_or(ByteRange{.first = 0, .bytes = size});
  response.status = part ? 206 : 200;
  if (part)
    response.headers.emplace_back("Content-Range",
                                  fmt::format("bytes {}-{}/{}", range.first, range.first + range.bytes - 1, size));
  if (!answer.download_name.empty())
    response.headers.emplace_back("Content-Disposition", disposition(answer.download_name));
  response.content_type = answer.content_type;
  response.source = std::make_shared<FileSource>(std::move(file), range);
  response.source_bytes = range.bytes;
  return response;
}

}  // namespace sgf
