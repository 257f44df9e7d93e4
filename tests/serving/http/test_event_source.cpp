#include "sgf/serving/http/event_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMuch = 1 << 16;
constexpr EventSource::Pace kAtOnce{.between = milliseconds(0), .quiet = milliseconds(60'000)};

// All that the source has to give now.
std::string delivered(EventSource& events, size_t most = kMuch) {
  std::string text;
  for (;;) {
    Piece piece = events.next(most);
    if (piece.kind != Piece::Kind::kBytes) return text;
    EXPECT_LE(piece.bytes.size(), most);
    text += piece.bytes;
  }
}

TEST(EventSource, DeliversNewsInOrder) {
  EventSource events(kAtOnce);
  EXPECT_EQ(delivered(events), "retry: 1000\n\n");
  events.tell("state", "s-1", "{\"a\":1}");
  events.tell("deleted", "s-2", "two\nlines");
  EXPECT_EQ(delivered(events), "event: state\ndata: {\"a\":1}\n\nevent: deleted\ndata: two\ndata: lines\n\n");
  EXPECT_EQ(delivered(events), "");
}

TEST(EventSource, OnlyTheNewestStateWaitsForASlowListener) {
  EventSource events(kAtOnce);
  delivered(events);
  for (int i = 0; i < 1000; ++i) events.tell("state", "s-1", std::to_string(i));
  events.tell("state", "s-2", "other");
  EXPECT_EQ(delivered(events), "event: state\ndata: 999\n\nevent: state\ndata: other\n\n");
}

TEST(EventSource, TheQueueIsBounded) {
  EventSource events(kAtOnce);
  delivered(events);
  for (int i = 0; i < 5000; ++i) events.tell("state", std::to_string(i), "x");
  const std::string text = delivered(events);
  EXPECT_EQ(text.size(), 1024 * std::string("event: state\ndata: x\n\n").size());
}

TEST(EventSource, ALongEventComesInPieces) {
  EventSource events(kAtOnce);
  const std::string data(1000, 'x');
  events.tell("state", "s-1", data);
  EXPECT_EQ(delivered(events, 100), "retry: 1000\n\nevent: state\ndata: " + data + "\n\n");
}

TEST(EventSource, NewsSoonAfterADeliveryWaitsItsTurn) {
  EventSource events({.between = milliseconds(60'000), .quiet = milliseconds(120'000)});
  delivered(events);
  events.tell("state", "s-1", "1");
  EXPECT_NE(delivered(events), "");  // the first at once
  events.tell("state", "s-1", "2");
  const Piece piece = events.next(kMuch);
  EXPECT_EQ(piece.kind, Piece::Kind::kWait);
  EXPECT_GT(piece.wait, milliseconds(50'000));
  EXPECT_LE(piece.wait, milliseconds(60'000));
}

TEST(EventSource, ASilentOneShowsThatItLives) {
  EventSource events({.between = milliseconds(0), .quiet = milliseconds(0)});
  events.next(kMuch);
  EXPECT_EQ(events.next(kMuch).bytes, ": still here\n\n");
}

TEST(EventSource, EndsAfterTheLastNewsOnceClosed) {
  EventSource events({.between = milliseconds(60'000), .quiet = milliseconds(120'000)});
  delivered(events);
  events.tell("state", "s-1", "1");
  delivered(events);
  events.tell("end", "s-1", "{}");
  events.close();
  EXPECT_EQ(events.next(kMuch).bytes, "event: end\ndata: {}\n\n");
  EXPECT_EQ(events.next(kMuch).kind, Piece::Kind::kEnd);
}

}  // namespace
}  // namespace sgf
