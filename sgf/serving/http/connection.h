// One client's connection: requests one after another, and the response to each.
#pragma once

#include "sgf/serving/http/server_state.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sgf {

// Lives as long as a socket operation, timer or worker's job holds it. All of it runs on the I/O thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ServerState& state, boost::asio::ip::tcp::socket socket, std::string client);

  void start();
  // For a body that waits: there may be news.
  void ask_again();
  // The server stops: what is being answered may end, anything else is closed.
  void stop();
  void close();

 private:
  using ErrorCode = boost::system::error_code;
  using Step = void (Connection::*)();
  using Time = HttpLimits::Time;

  // The request.
  void await_request();
  void read_head();
  void take_head(const ErrorCode& error);
  void admit_request();
  void read_body();
  void read_rest_of_body();
  void call_app();
  void refuse(const HttpError& error);
  void refuse_unreadable(const ErrorCode& error);

  // The response.
  void respond(HttpResponse response);
  void write(std::string bytes, Step next);
  void write_rest(Step next);
  void ask_source();
  void take_piece(Piece piece, uint64_t wakes_before);
  void write_piece(std::string bytes);
  void wait_for_piece(Time wait);
  void end_source();
  void finish();
  // Reads and forgets: notices that the client has gone, and lets it receive a last response before the close.
  void drain();

  // `due` happens after this time unless the timer is set or stopped before.
  void set_timer(Time time, Step due);
  void stop_timer();
  void drop_slow_client();

  // Runs a step of the connection. Does nothing once it is closed; closes it if the step fails.
  template <class Action>
  void act(Action action);
  // A handler of a socket operation, which keeps the connection alive.
  template <class Handler>
  auto then(Handler handler);

  ServerState& state_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  uint64_t timer_round_ = 0;
  std::string client_;

  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
  std::optional<Admission> admission_;
  std::shared_ptr<void> body_share_;  // of ServerState::body_bytes
  bool keeps_alive_ = false;

  std::string outgoing_;
  size_t written_ = 0;
  std::shared_ptr<BodySource> source_;
  std::optional<uint64_t> source_rest_;  // nullopt: the body is chunked
  std::array<char, 1024> scratch_{};
  size_t drained_ = 0;
  bool is_resting_ = false;  // between two requests
  bool is_draining_ = false;
  bool is_closed_ = false;
};

}  // namespace sgf
