#include "sgf/serving/http/file_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace sgf {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class FileBody : public ::testing::Test {
 protected:
  FileBody() { std::ofstream(path_) << "0123456789"; }

  HttpResponse answer(const std::string& range, const std::string& if_range = "") const {
    HttpRequest request;
    if (!range.empty()) request.headers["range"] = range;
    if (!if_range.empty()) request.headers["if-range"] = if_range;
    return file_response(request, {.path = path_, .content_type = "video/mp4", .download_name = ""});
  }

  static std::string content(const HttpResponse& response, size_t most = 4) {
    std::string text;
    for (Piece piece = response.source->next(most); piece.kind == Piece::Kind::kBytes;
         piece = response.source->next(most))
      text += piece.bytes;
    return text;
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "video.mp4";
};

TEST_F(FileBody, IsTheWholeFileInPieces) {
  const HttpResponse response = answer("");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.source_bytes, 10u);
  EXPECT_EQ(content(response), "0123456789");
}

TEST_F(FileBody, IsThePartAskedFor) {
  const HttpResponse response = answer("bytes=2-4");
  EXPECT_EQ(response.status, 206);
  EXPECT_EQ(response.source_bytes, 3u);
  EXPECT_THAT(response.headers, Contains(std::pair<std::string, std::string>("Content-Range", "bytes 2-4/10")));
  EXPECT_EQ(content(response), "234");
  EXPECT_EQ(content(answer("bytes=-3")), "789");
}

TEST_F(FileBody, APartOfAnotherVersionIsNotGiven) { EXPECT_EQ(answer("bytes=2-4", "\"tag\"").status, 200); }

TEST_F(FileBody, APartOutsideIsRefused) {
  const HttpResponse response = answer("bytes=10-");
  EXPECT_EQ(response.status, 416);
  EXPECT_THAT(response.headers, Contains(std::pair<std::string, std::string>("Content-Range", "bytes */10")));
}

TEST_F(FileBody, WhatIsAppendedLaterIsNotPartOfIt) {
  const HttpResponse response = answer("");
  std::ofstream(path_, std::ios::app) << "more";
  EXPECT_EQ(content(response), "0123456789");
}

TEST_F(FileBody, AFileThatBecameShorterFails) {
  const HttpResponse response = answer("");
  std::filesystem::resize_file(path_, 4);
  EXPECT_EQ(response.source->next(4).bytes, "0123");
  EXPECT_EQ(response.source->next(4).kind, Piece::Kind::kFailed);
}

TEST_F(FileBody, OnlyRegularFilesAreOpened) {
  std::filesystem::create_symlink("/etc/passwd", folder_ / "link");
  for (const std::filesystem::path& path : {folder_ / "none", folder_ / "link", folder_.path()}) {
    try {
      OpenFile file(path);
      ADD_FAILURE() << path;
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 404) << path;
    }
  }
}

TEST_F(FileBody, TheNameOfADownloadCannotForgeAHeader) {
  HttpResponse response =
      file_response({}, {.path = path_, .content_type = "video/mp4", .download_name = "a\"\r\nX: \xC3\xA9.mp4"});
  EXPECT_THAT(response_head(response, false),
              HasSubstr("filename=\"a___X_ __.mp4\"; filename*=UTF-8''a%22%0D%0AX%3A%20%C3%A9.mp4\r\n"));
}

}  // namespace
}  // namespace sgf
