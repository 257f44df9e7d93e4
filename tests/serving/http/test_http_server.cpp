// Requests and responses over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/serving/http/raw_client.h"
#include "tests/serving/http/test_app.h"

namespace sgf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace sgf::testing;

class HttpServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_serve()) GTEST_SKIP() << "built without Boost.Beast";
    server_ = std::make_unique<HttpServer>(test_settings(), app_);
  }

  RawClient client() const { return RawClient(server_->port()); }

  RawResponse get(const std::string& target, const std::string& more = "") const {
    RawClient one = client();
    one.get(target, more);
    return one.read_response();
  }

  TestApp app_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersARequest) {
  const RawResponse response = get("/name/a%20b?q=c+d");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "GET /name/a b?c d");
  EXPECT_THAT(response.head, HasSubstr("Content-Type: text/plain\r\n"));
  EXPECT_EQ(get("/client").body, "127.0.0.1");
}

TEST_F(HttpServerTest, EveryResponseTellsBrowsersToLoadNothingFromElsewhere) {
  for (const char* target : {"/", "/throw", "/../x"}) {
    const std::string head = get(target).head;
    EXPECT_THAT(head, HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self';")) << target;
    EXPECT_THAT(head, HasSubstr("X-Content-Type-Options: nosniff\r\n")) << target;
    EXPECT_THAT(head, HasSubstr("X-Frame-Options: DENY\r\n")) << target;
    EXPECT_THAT(head, HasSubstr("Referrer-Policy: no-referrer\r\n")) << target;
    EXPECT_THAT(head, HasSubstr("Cache-Control: no-store\r\n")) << target;
  }
}

TEST_F(HttpServerTest, AConnectionServesManyRequests) {
  RawClient one = client();
  for (int i = 0; i < 20; ++i) {
    one.post("/echo", "body " + std::to_string(i));
    const RawResponse response = one.read_response();
    EXPECT_EQ(response.body, "body " + std::to_string(i));
    EXPECT_THAT(response.head, HasSubstr("Connection: keep-alive"));
  }
  EXPECT_EQ(server_->counts().connections, 1u);
}

TEST_F(HttpServerTest, AConnectionClosesWhenAsked) {
  RawClient one = client();
  one.get("/", "Connection: close\r\n");
  EXPECT_THAT(one.read_response().head, HasSubstr("Connection: close"));
  EXPECT_TRUE(one.is_closed_within(milliseconds(5000)));
}

TEST_F(HttpServerTest, RequestsSentAtOnceAreAnsweredInOrder) {
  RawClient one = client();
  std::string all;
  for (int i = 0; i < 10; ++i)
    all += "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n" +
           std::to_string(i);
  one.send(all);
  std::string bodies;
  for (int i = 0; i < 10; ++i) bodies += one.read_response().body;
  EXPECT_EQ(bodies, "0123456789");
}

TEST_F(HttpServerTest, ARequestMayComeByteByByte) {
  RawClient one = client();
  for (const char c : std::string(
           "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\nbytes"))
    one.send(std::string(1, c));
  EXPECT_EQ(one.read_response().body, "bytes");
}

TEST_F(HttpServerTest, HeadHasTheHeadersOfGetAndNoBody) {
  RawClient one = client();
  one.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(one.read_head().head, HasSubstr("Content-Length: 6\r\n"));
  one.get("/");
  EXPECT_EQ(one.read_response().status, 200);  // no byte of a body came before
}

TEST_F(HttpServerTest, AClientThatExpectsAWordBeforeItsBodyGetsOne) {
  RawClient one = client();
  one.send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(one.read_head().status, 100);
  one.send("{}");
  EXPECT_EQ(one.read_response().body, "{}");
}

TEST_F(HttpServerTest, ALargeResponseArrivesWhole) {
  const RawResponse response = get("/big");
  EXPECT_EQ(response.body, std::string(1'000'000, 'b'));
}

TEST_F(HttpServerTest, LargeBodiesAreReadWhereTheRouteAllows) {
  const std::string body(1 << 20, 'u');
  RawClient allowed = client();
  allowed.post("/echo?large=1", body);
  EXPECT_EQ(allowed.read_response().body, body);
  RawClient refused = client();
  refused.post("/echo", body);
  EXPECT_EQ(refused.read_response().status, 413);
}

TEST_F(HttpServerTest, FilesAreServedWholeAndInParts) {
  const TemporaryFolder folder;
  app_.file = folder / "video.mp4";
  std::string content;
  for (int i = 0; i < 50'000; ++i) content += std::to_string(i);
  std::ofstream(app_.file) << content;
  EXPECT_EQ(get("/file").body, content);
  const RawResponse part = get("/file", "Range: bytes=100000-199999\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, content.substr(100'000, 100'000));
  EXPECT_EQ(get("/file", "Range: bytes=9999999-\r\n").status, 416);
  RawClient again = client();
  for (int i = 0; i < 3; ++i) {
    again.get("/file");
    EXPECT_TRUE(again.read_response().is_whole);
  }
  app_.file = folder / "none";
  EXPECT_EQ(get("/file").status, 404);
}

TEST_F(HttpServerTest, ErrorsAreJsonWithACode) {
  const RawResponse conflict = get("/throw?q=http");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(conflict.body,
            "{\"error\":{\"code\":\"has_branches\",\"hint\":\"delete them first\",\"message\":\"the stream has "
            "branches\"}}\n");
  EXPECT_THAT(get("/throw?q=error").body, HasSubstr("seed must be at least 0, got -1"));
  EXPECT_EQ(get("/throw?q=error").status, 400);
  EXPECT_EQ(get("/throw?q=memory").status, 503);
  EXPECT_EQ(server_->counts().responses[3], 3u);
}

TEST_F(HttpServerTest, FaultsOfTheServerStayInItsLog) {
  std::mutex mutex;
  std::string said;
  HttpServerSettings settings = test_settings();
  settings.log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    said += line;
  };
  HttpServer server(settings, app_);
  RawClient one(server.port());
  one.get("/throw?q=other");
  const RawResponse response = one.read_response();
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, Not(HasSubstr("an inner secret")));
  const std::lock_guard lock(mutex);
  EXPECT_THAT(said, HasSubstr("an inner secret"));
}

TEST_F(HttpServerTest, ARouteCannotForgeAHeader) {
  const RawResponse response = get("/forged");
  EXPECT_THAT(response.head, Not(HasSubstr("Set-Cookie")));
  EXPECT_EQ(response.status, 400);
}

TEST_F(HttpServerTest, BodiesAreStrictJson) {
  const auto answer = [&](const std::string& body) {
    RawClient one = client();
    one.post("/json", body);
    return one.read_response();
  };
  EXPECT_EQ(answer("{\"a\": [1]}").body, "{\"a\":[1]}\n");
  EXPECT_EQ(answer("").body, "{}\n");
  for (const char* body : {"[]", "1", "{", "{\"a\":1,\"a\":2}", "{\"a\":\"\xff\"}", "{}x"}) {
    EXPECT_EQ(answer(body).status, 400) << body;
    EXPECT_THAT(answer(body).body, HasSubstr("bad_json")) << body;
  }
  EXPECT_EQ(answer("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}").status, 400);
}

TEST_F(HttpServerTest, ASlowRouteHoldsBackNoOther) {
  RawClient slow = client();
  slow.get("/slow?q=1000");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(get("/").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(900));
  EXPECT_EQ(slow.read_response().status, 200);
}

TEST_F(HttpServerTest, APortThatIsTakenIsRefusedWithAdvice) {
  HttpServerSettings settings = test_settings();
  settings.port = server_->port();
  EXPECT_THAT(refusal_of([&] { HttpServer second(settings, app_); }),
              HasSubstr("is taken by another program: choose another, or 0 for any free one"));
}

TEST_F(HttpServerTest, AnAddressOfAnotherMachineIsRefusedWithAdvice) {
  HttpServerSettings settings = test_settings();
  settings.host = "192.0.2.1";
  EXPECT_THAT(refusal_of([&] { HttpServer elsewhere(settings, app_); }), HasSubstr("use an address of this machine"));
  settings.host = "no such name";
  EXPECT_THAT(refusal_of([&] { HttpServer nowhere(settings, app_); }), HasSubstr("is no address of this machine"));
  settings = test_settings();
  settings.port = 70'000;
  EXPECT_THAT(refusal_of([&] { HttpServer none(settings, app_); }), HasSubstr("between 0 and 65535"));
}

TEST_F(HttpServerTest, ATokenThatNoCookieCanCarryIsRefused) {
  HttpServerSettings settings = test_settings();
  settings.token = "short";
  EXPECT_THAT(refusal_of([&] { HttpServer server(settings, app_); }), HasSubstr("at least 8 characters"));
  settings.token = "with;semicolon";
  EXPECT_THAT(refusal_of([&] { HttpServer server(settings, app_); }), HasSubstr("letters, digits"));
}

}  // namespace
}  // namespace sgf
