// Bodies that grow while they are sent, watchers that are slow or leave, and the end of the server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serving/http/raw_client.h"
#include "tests/serving/http/test_app.h"

namespace sgf {
namespace {

using namespace sgf::testing;

class HttpStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_serve()) GTEST_SKIP() << "built without Boost.Beast";
    serve(test_settings());
  }

  void serve(const HttpServerSettings& settings) {
    server_.reset();
    server_ = std::make_unique<HttpServer>(settings, app_);
  }

  RawClient watch(const std::string& target = "/stream", int receive_buffer = 0) const {
    RawClient client(server_->port(), receive_buffer);
    client.get(target);
    const RawResponse response = client.read_head();
    EXPECT_EQ(response.status, 200);
    EXPECT_THAT(response.head, ::testing::HasSubstr("Transfer-Encoding: chunked\r\n"));
    return client;
  }

  void append(const std::string& bytes) {
    app_.growing.append(bytes);
    server_->wake();
  }

  void end() {
    app_.growing.end();
    server_->wake();
  }

  // All watchers have been asked and have nothing.
  bool all_wait(int watchers) {
    return soon([&] { return app_.growing.watchers == watchers && app_.growing.questions >= watchers; });
  }

  TestApp app_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpStreams, AGrowingBodyContinuesAfterAWake) {
  RawClient client = watch();
  append("first");
  EXPECT_EQ(client.read_chunk().first, "first");
  ASSERT_TRUE(all_wait(1));
  append("second");
  EXPECT_EQ(client.read_chunk().first, "second");
  end();
  EXPECT_EQ(client.read(100), "0\r\n\r\n");
}

TEST_F(HttpStreams, WithoutAWakeItContinuesAfterTheHeartbeat) {
  HttpServerSettings settings = test_settings();
  settings.limits.heartbeat = milliseconds(50);
  serve(settings);
  RawClient client = watch();
  ASSERT_TRUE(all_wait(1));
  app_.growing.append("late");
  EXPECT_EQ(client.read_chunk().first, "late");
}

TEST_F(HttpStreams, NoWakeIsLostInAThousand) {
  HttpServerSettings settings = test_settings();
  settings.limits.heartbeat = milliseconds(3'600'000);  // a lost one would never be made good
  serve(settings);
  RawClient client = watch();
  for (int i = 0; i < 1000; ++i) {
    append("x");
    ASSERT_EQ(client.read_chunk().first, "x") << i;
  }
}

TEST_F(HttpStreams, ManyWatchersShareOneBody) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(watch());
  ASSERT_TRUE(all_wait(50));
  append("to all");
  end();
  for (RawClient& client : clients) {
    EXPECT_EQ(client.read_chunk().first, "to all");
    EXPECT_EQ(client.read(100), "0\r\n\r\n");
  }
  EXPECT_TRUE(soon([&] { return app_.growing.watchers == 0; }));
}

TEST_F(HttpStreams, AWatcherThatLeavesIsForgotten) {
  RawClient stays = watch(), leaves = watch();
  ASSERT_TRUE(all_wait(2));
  leaves.leave();
  EXPECT_TRUE(soon([&] { return app_.growing.watchers == 1; }));
  append("more");
  EXPECT_EQ(stays.read_chunk().first, "more");
}

TEST_F(HttpStreams, ASlowReaderIsDroppedAndOthersGoOn) {
  HttpServerSettings settings = test_settings();
  settings.limits.write_stall = milliseconds(300);
  serve(settings);
  RawClient slow = watch("/endless", 4096), other = watch();
  for (int i = 0; i < 50; ++i) {
    append("x");
    ASSERT_EQ(other.read_chunk().first, "x");
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_TRUE(soon([&] { return server_->counts().dropped_clients == 1; }));
  append("y");
  EXPECT_EQ(other.read_chunk().first, "y");
  EXPECT_TRUE(soon([&] { return server_->counts().open_connections == 1; }));
}

TEST_F(HttpStreams, AReaderThatKeepsUpIsNotDropped) {
  HttpServerSettings settings = test_settings();
  settings.limits.write_stall = milliseconds(300);
  serve(settings);
  RawClient client = watch("/endless");
  const auto until = std::chrono::steady_clock::now() + milliseconds(900);
  while (std::chrono::steady_clock::now() < until) ASSERT_TRUE(client.read_chunk().second);
  EXPECT_EQ(server_->counts().dropped_clients, 0u);
}

TEST_F(HttpStreams, ABodyThatFailsDoesNotLookComplete) {
  RawClient chunked(server_->port());
  chunked.get("/failing");
  const RawResponse response = chunked.read_response();
  EXPECT_EQ(response.body, "begin");
  EXPECT_FALSE(response.is_whole);
  RawClient with_length(server_->port());
  with_length.get("/short");
  EXPECT_FALSE(with_length.read_response().is_whole);
  EXPECT_TRUE(with_length.is_closed_within(milliseconds(5000)));
}

TEST_F(HttpStreams, StopEndsWaitingAndRunningStreamsSoon) {
  RawClient waiting = watch(), running = watch("/endless"), idle(server_->port());
  ASSERT_TRUE(all_wait(1));
  std::thread reader([&] {
    while (running.read_chunk().second) {
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  server_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(3000));
  reader.join();
  EXPECT_EQ(waiting.read(100), "");  // no last chunk: the stream has not ended
  EXPECT_TRUE(idle.is_closed_within(milliseconds(1000)));
  EXPECT_EQ(server_->counts().open_connections, 0u);
  EXPECT_EQ(app_.growing.watchers, 0);
  EXPECT_THROW(RawClient late(server_->port()), std::runtime_error);
  server_->stop();  // a second time changes nothing
}

TEST_F(HttpStreams, StopWaitsForTheRequestInProgress) {
  RawClient client(server_->port());
  client.get("/slow?q=150");
  ASSERT_TRUE(soon([&] { return app_.handled == 1; }));
  server_->stop();
  EXPECT_EQ(client.read_response().status, 200);
}

TEST_F(HttpStreams, ABodyThatEndsWhileTheServerStopsIsComplete) {
  HttpServerSettings settings = test_settings();
  settings.limits.stop_time = milliseconds(10'000);
  serve(settings);
  RawClient client = watch("/held");
  EXPECT_EQ(client.read_chunk().first, "all");
  const int64_t port = server_->port();
  std::thread stopping([&] { server_->stop(); });
  EXPECT_TRUE(soon([&] {
    try {
      RawClient late(port);
      return false;
    } catch (const std::runtime_error&) {
      return true;  // no one listens: the stop has begun
    }
  }));
  app_.may_end = true;
  EXPECT_EQ(client.read(100), "0\r\n\r\n");
  stopping.join();
}

TEST_F(HttpStreams, StopDropsAReaderThatTakesNothing) {
  RawClient stuck = watch("/endless", 4096);
  const auto begin = std::chrono::steady_clock::now();
  server_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(3000));
}

}  // namespace
}  // namespace sgf
