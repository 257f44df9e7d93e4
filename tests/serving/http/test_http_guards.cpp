// Who is let in, and how much a client may ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serving/http/raw_client.h"
#include "tests/serving/http/test_app.h"

namespace sgf {
namespace {

using ::testing::HasSubstr;
using namespace sgf::testing;

class HttpGuards : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_serve()) GTEST_SKIP() << "built without Boost.Beast";
    settings_ = test_settings();
  }

  void serve() { server_ = std::make_unique<HttpServer>(settings_, app_); }

  RawResponse answer(const std::string& request) const {
    RawClient client(server_->port());
    client.send(request);
    return client.read_response();
  }

  RawResponse get(const std::string& more, const std::string& target = "/") const {
    return answer("GET " + target + " HTTP/1.1\r\n" + more + "\r\n");
  }

  TestApp app_;
  HttpServerSettings settings_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpGuards, AForeignHostOrPageIsRefusedBeforeTheRoutesAreAsked) {
  serve();
  EXPECT_EQ(get("Host: evil.example\r\n").status, 403);
  EXPECT_EQ(get("Host: localhost\r\nOrigin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(get("").status, 400);
  EXPECT_EQ(app_.handled, 0);
  EXPECT_EQ(get("Host: localhost\r\nOrigin: http://localhost\r\n").status, 200);
  EXPECT_EQ(get("Host: 127.0.0.1:1234\r\n").status, 200);
  EXPECT_EQ(app_.handled, 2);
}

TEST_F(HttpGuards, OtherNamesAreKnownOnceTheyAreGiven) {
  settings_.names = {"Studio.example", "10.0.0.1"};
  serve();
  EXPECT_EQ(get("Host: studio.example:8080\r\n").status, 200);
  EXPECT_EQ(get("Host: 10.0.0.1\r\n").status, 200);
  EXPECT_EQ(get("Host: 10.0.0.2\r\n").status, 403);
}

TEST_F(HttpGuards, WithoutTheTokenNothingIsRead) {
  settings_.token = "a-long-token";
  serve();
  EXPECT_EQ(get("Host: localhost\r\n").status, 401);
  EXPECT_EQ(get("Host: localhost\r\nAuthorization: Bearer a-long-tokem\r\n").status, 401);
  EXPECT_EQ(app_.handled, 0);
  // Refused before the body: the client would have to send it first.
  EXPECT_EQ(answer("POST /echo?large=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: "
                   "9000000\r\n\r\n")
                .status,
            401);
  EXPECT_EQ(get("Host: localhost\r\nAuthorization: Bearer a-long-token\r\n").status, 200);
  EXPECT_EQ(get("Host: localhost\r\n", "/health").status, 200);
}

TEST_F(HttpGuards, TheLinkWithTheTokenLogsABrowserIn) {
  settings_.token = "a-long-token";
  serve();
  const RawResponse link = get("Host: localhost\r\n", "/?token=a-long-token");
  EXPECT_EQ(link.status, 303);
  EXPECT_THAT(link.head, HasSubstr("Location: /\r\n"));
  EXPECT_THAT(link.head, HasSubstr("Set-Cookie: sgf_token=a-long-token; Path=/; HttpOnly; SameSite=Strict\r\n"));
  EXPECT_EQ(get("Host: localhost\r\nCookie: sgf_token=a-long-token\r\n").status, 200);
}

TEST_F(HttpGuards, ConnectionsOverTheLimitAreToldSo) {
  settings_.limits.connections = 256;
  settings_.limits.connections_per_address = 1000;
  serve();
  std::vector<RawClient> clients;
  for (int i = 0; i < 300; ++i) clients.emplace_back(server_->port());
  ASSERT_TRUE(soon([&] { return server_->counts().connections == 300; }));
  int served = 0, refused = 0;
  for (RawClient& client : clients) {
    client.get("/");
    const int status = client.read_response().status;
    served += status == 200 ? 1 : 0;
    refused += status == 503 ? 1 : 0;
  }
  EXPECT_EQ(served, 256);
  EXPECT_EQ(refused, 44);
  EXPECT_EQ(server_->counts().rejected_connections, 44u);
  clients.clear();
  ASSERT_TRUE(soon([&] { return server_->counts().open_connections == 0; }));
  EXPECT_EQ(get("Host: localhost\r\n").status, 200);
}

TEST_F(HttpGuards, OneAddressCannotTakeAllConnections) {
  settings_.limits.connections_per_address = 2;
  serve();
  RawClient one(server_->port()), two(server_->port());
  ASSERT_TRUE(soon([&] { return server_->counts().open_connections == 2; }));
  RawClient three(server_->port());
  EXPECT_EQ(three.read_response().status, 503);
  one.leave();
  ASSERT_TRUE(soon([&] { return server_->counts().open_connections == 1; }));
  EXPECT_EQ(get("Host: localhost\r\n").status, 200);
}

TEST_F(HttpGuards, AClientThatDoesNotFinishItsRequestIsDropped) {
  settings_.limits.head_time = milliseconds(200);
  settings_.limits.body_time = milliseconds(200);
  settings_.limits.idle_time = milliseconds(200);
  serve();
  RawClient silent(server_->port()), half_head(server_->port()), half_body(server_->port()), idle(server_->port());
  half_head.send("GET / HTTP/1.1\r\nHost: loc");
  half_body.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\nab");
  idle.get("/");
  EXPECT_EQ(idle.read_response().status, 200);
  for (RawClient* client : {&silent, &half_head, &half_body, &idle})
    EXPECT_TRUE(client->is_closed_within(milliseconds(5000)));
  EXPECT_EQ(server_->counts().dropped_clients, 2u);  // a connection that only rests is no slow client
  EXPECT_EQ(app_.handled, 1);
}

TEST_F(HttpGuards, AHeadThatTricklesInIsDroppedToo) {
  settings_.limits.head_time = milliseconds(200);
  serve();
  RawClient client(server_->port());
  client.send("GET / HTTP/1.1\r\n");
  const auto begin = std::chrono::steady_clock::now();
  while (client.send("A: b\r\n") && std::chrono::steady_clock::now() - begin < milliseconds(5000))
    std::this_thread::sleep_for(milliseconds(20));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(2000));
}

TEST_F(HttpGuards, HeadsAndBodiesHaveALimit) {
  serve();
  EXPECT_EQ(get("Host: localhost\r\nX: " + std::string(10'000, 'x') + "\r\n").status, 200);
  EXPECT_EQ(get("Host: localhost\r\nX: " + std::string(20'000, 'x') + "\r\n").status, 431);
  EXPECT_EQ(get("Host: localhost\r\n", "/" + std::string(20'000, 'x')).status, 431);
  const auto with_length = [&](const std::string& target, const std::string& bytes) {
    return answer("POST " + target +
                  " HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: " + bytes + "\r\n\r\n")
        .status;
  };
  EXPECT_EQ(with_length("/echo", "65537"), 413);
  EXPECT_EQ(with_length("/echo?large=1", "16777217"), 413);
  EXPECT_EQ(with_length("/echo?large=1", "18446744073709551615"), 413);
}

TEST_F(HttpGuards, LargeBodiesShareABoundedMemory) {
  settings_.limits.all_bodies_bytes = 1'000'000;
  serve();
  const std::string head =
      "POST /echo?large=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: 600000\r\n\r\n";
  {
    RawClient first(server_->port());
    first.send(head + "begin");
    ASSERT_TRUE(soon([&] { return answer(head).status == 503; }));
    RawClient small(server_->port());
    small.post("/echo", "{}");
    EXPECT_EQ(small.read_response().status, 200);
  }
  for (int i = 0; i < 3; ++i) {  // a closed connection gives its share back
    ASSERT_TRUE(soon([&] { return server_->counts().open_connections == 0; }));
    EXPECT_EQ(answer(head + std::string(600'000, 'x')).body.size(), 600'000u);
  }
}

TEST_F(HttpGuards, AFaultInTheProgramsLimitClosesOneConnectionOnly) {
  serve();
  EXPECT_EQ(get("Host: localhost\r\n", "/?broken=1").status, 0);
  EXPECT_EQ(get("Host: localhost\r\n").status, 200);
  EXPECT_TRUE(soon([&] { return server_->counts().open_connections == 0; }));
}

}  // namespace
}  // namespace sgf
