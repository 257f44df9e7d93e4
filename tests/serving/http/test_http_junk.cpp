// What is no HTTP: whatever comes, the server answers with an error or closes, and serves the next client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <random>

#include "tests/serving/http/raw_client.h"
#include "tests/serving/http/test_app.h"

namespace sgf {
namespace {

using namespace sgf::testing;

class HttpJunk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_serve()) GTEST_SKIP() << "built without Boost.Beast";
    HttpServerSettings settings = test_settings();
    settings.limits.head_time = settings.limits.body_time = milliseconds(300);
    server_ = std::make_unique<HttpServer>(settings, app_);
  }

  void TearDown() override {
    if (!server_) return;
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200) << "the server lives";
    EXPECT_TRUE(soon([&] { return server_->counts().open_connections == 0; }));
  }

  int status_of(const std::string& bytes) const {
    RawClient client(server_->port());
    client.send(bytes);
    return client.read_head().status;
  }

  TestApp app_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpJunk, MalformedRequestsAreRefused) {
  for (const std::string bytes :
       {"\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "GET / HTTP/1.1\nHost: localhost\n\n",
        "G\x01T / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nA: \x01\r\n\r\n",
        "GET / HTTP/x\r\n\r\n", "\x16\x03\x01\x02\x01 tls hello", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n"})
    EXPECT_THAT(status_of(bytes), ::testing::AnyOf(400, 505)) << bytes;
  EXPECT_GT(server_->counts().bad_requests, 5u);
}

TEST_F(HttpJunk, OtherVersionsAreRefused) {
  for (const char* bytes : {"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                            "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n"})
    EXPECT_EQ(status_of(bytes), 505) << bytes;
}

TEST_F(HttpJunk, TwoWaysToEndABodyAreRefused) {
  const std::string begin = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  for (const char* rest : {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                           "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
                           "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "Content-Length: -3\r\n\r\n",
                           "Content-Length: 3,3\r\n\r\nabc"})
    EXPECT_EQ(status_of(begin + rest), 400) << rest;
  EXPECT_EQ(status_of(begin + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 411);
  EXPECT_EQ(app_.handled, 0);
}

TEST_F(HttpJunk, PathTricksAreRefused) {
  for (const char* target : {"/..", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/a%00b", "/a%2f..%2f..",
                             "/%c0%ae%c0%ae/", "http://localhost/", "*", "/%", "/a\\..\\b"})
    EXPECT_EQ(status_of(std::string("GET ") + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400) << target;
}

TEST_F(HttpJunk, RandomBytesAreRefused) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::string bytes(1 + random() % 2000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    RawClient client(server_->port());
    client.send(bytes);
    if (i % 2 == 0) continue;  // leaves at once
    const int status = client.read_head().status;
    EXPECT_TRUE(status == 0 || status == 400 || status == 505) << status;
  }
}

TEST_F(HttpJunk, RequestsWithOneByteChangedAreAnsweredOrRefused) {
  const std::string right =
      "POST /json?q=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "13\r\n\r\n{\"a\": [1, 2]}";
  std::mt19937 random(11);
  for (size_t at = 0; at < right.size(); ++at) {
    std::string bytes = right;
    bytes[at] = static_cast<char>(random());
    RawClient client(server_->port());
    client.send(bytes);
    const int status = client.read_head().status;
    EXPECT_TRUE(status == 0 || (status >= 200 && status < 300) || (status >= 400 && status < 500) || status == 505)
        << at << ": " << status;
  }
}

// What a shell command prints, and its exit code.
std::pair<std::string, int> said_by(const std::string& command) {
  std::string said;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> piece{};
  for (size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) said.append(piece.data(), got);
  return {said, ::pclose(pipe)};
}

TEST_F(HttpJunk, ClientsOfAllKindsAreRefused) {
  if (said_by("python3 --version").second != 0) GTEST_SKIP() << "no python3";
  HttpServerSettings settings = test_settings();
  settings.token = "a-long-token";
  settings.limits.write_stall = milliseconds(200);
  HttpServer server(settings, app_);
  const auto [said, code] = said_by(
      fmt::format("python3 {}/tests/serving/junk_clients.py 127.0.0.1:{} --token a-long-token --clients 102 --hold 0.5 "
                  "--stream /endless --upload '/upload?large=1' --post /json",
                  SGF_SOURCE_DIR, server.port()));
  EXPECT_EQ(code, 0) << said;
  EXPECT_THAT(said, ::testing::HasSubstr("102 clients, 0 wrong answers"));
  EXPECT_TRUE(soon([&] { return server.counts().open_connections == 0; }));
  EXPECT_GT(server.counts().responses[3], 30u);
}

// The control beside it: a server that lets everything in fails.
TEST_F(HttpJunk, TheScriptFindsAServerThatRefusesNothing) {
  if (said_by("python3 --version").second != 0) GTEST_SKIP() << "no python3";
  const auto [said, code] = said_by(
      fmt::format("python3 {}/tests/serving/junk_clients.py 127.0.0.1:{} --token other-token --clients 17 --hold 0.1 "
                  "--stream / --upload '/echo?large=1' --post /echo",
                  SGF_SOURCE_DIR, server_->port()));
  EXPECT_NE(code, 0) << said;
  EXPECT_THAT(said, ::testing::HasSubstr("(wrong_token) got 200"));
  EXPECT_THAT(said, ::testing::HasSubstr("(bad_json) got 200"));
}

int64_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

TEST_F(HttpJunk, ClientsThatLeaveInTheMiddleLeaveNothingBehind) {
  const std::string request = "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const int64_t files = open_files();
  for (size_t i = 0; i < 60; ++i) {
    RawClient client(server_->port());
    client.send(request.substr(0, i));
  }
  for (const char* target : {"/endless", "/big", "/stream", "/slow?q=20"}) {
    for (int i = 0; i < 20; ++i) {
      RawClient client(server_->port());
      client.get(target);
      if (i % 2 == 0) client.receive();
    }
  }
  EXPECT_TRUE(soon([&] { return server_->counts().open_connections == 0 && app_.growing.watchers == 0; }));
  EXPECT_TRUE(soon([&] { return server_->counts().connections == 140 && open_files() == files; })) << open_files();
}

}  // namespace
}  // namespace sgf
