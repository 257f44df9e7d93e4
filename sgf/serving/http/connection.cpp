#include "sgf/serving/http/connection.h"

#include "sgf/core/in_quotes.h"

#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>

#include <algorithm>
#include <limits>

namespace sgf {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr size_t kPieceBytes = 64 << 10;
constexpr size_t kReadBytes = 4 << 10;
// What a client may still send while its response is under way.
constexpr size_t kMostDrained = 1 << 20;

HttpError busy() {
  return {503, "busy", "the server is receiving too much at this time", "try again in a few seconds"};
}

RequestHead head_of(const http::request<http::empty_body>& message) {
  RequestHead head{.method = std::string(message.method_string()),
                   .target = std::string(message.target()),
                   .version = static_cast<int>(message.version()),
                   .headers = {}};
  for (const auto& field : message)
    head.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  return head;
}

std::string as_chunk(const std::string& bytes) { return fmt::format("{:x}\r\n", bytes.size()) + bytes + "\r\n"; }

}  // namespace

Connection::Connection(ServerState& state, asio::ip::tcp::socket socket, std::string client)
    : state_(state),
      socket_(std::move(socket)),
      timer_(state.io),
      client_(std::move(client)),
      buffer_(state.limits.head_bytes + kReadBytes) {}

template <class Action>
void Connection::act(Action action) {
  if (is_closed_) return;
  try {
    action();
  } catch (const std::exception& error) {  // no memory, above all: the other connections must not suffer
    if (state_.log) state_.log(fmt::format("a connection was closed: {}", in_quotes(error.what())));
    close();
  }
}

template <class Handler>
auto Connection::then(Handler handler) {
  return [self = shared_from_this(), handler = std::move(handler)](const ErrorCode& error, size_t bytes) {
    self->act([&] { handler(error, bytes); });
  };
}

void Connection::start() {
  state_.connections.insert(this);
  ++state_.per_address[client_];
  ++state_.counts.open;
  await_request();
}

void Connection::stop() {
  if (is_resting_ || state_.waiting.contains(this) || is_draining_) return close();
  keeps_alive_ = false;
}

void Connection::close() {
  if (is_closed_) return;
  is_closed_ = true;
  ErrorCode ignored;
  socket_.close(ignored);
  stop_timer();
  source_.reset();
  body_share_.reset();
  state_.waiting.erase(this);
  state_.connections.erase(this);
  --state_.counts.open;
  const auto address = state_.per_address.find(client_);
  if (--address->second == 0) state_.per_address.erase(address);
  if (state_.is_stopping && state_.connections.empty()) state_.all_closed();
}

void Connection::drop_slow_client() {
  ++state_.counts.dropped;
  close();
}

void Connection::set_timer(Time time, Step due) {
  const uint64_t round = ++timer_round_;
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this(), round, due](const ErrorCode& error) {
    if (!error && round == self->timer_round_) self->act([&] { (self.get()->*due)(); });
  });
}

void Connection::stop_timer() {
  ++timer_round_;
  timer_.cancel();
}

void Connection::await_request() {
  if (state_.is_stopping) return close();
  admission_.reset();
  body_share_.reset();
  if (buffer_.size() > 0) return read_head();  // the client did not wait for the last response
  is_resting_ = true;
  const bool is_first = !parser_.has_value();
  set_timer(is_first ? state_.limits.head_time : state_.limits.idle_time, &Connection::close);
  socket_.async_read_some(buffer_.prepare(kReadBytes), then([this](const ErrorCode& error, size_t bytes) {
                            is_resting_ = false;
                            if (error) return close();
                            buffer_.commit(bytes);
                            read_head();
                          }));
}

void Connection::read_head() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(state_.limits.head_bytes));
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // checked when the request is known
  set_timer(state_.limits.head_time, &Connection::drop_slow_client);
  http::async_read_header(socket_, buffer_, *parser_,
                          then([this](const ErrorCode& error, size_t) { take_head(error); }));
}

void Connection::take_head(const ErrorCode& error) {
  stop_timer();
  if (!error) return admit_request();
  const bool is_from_parser = error.category() == http::make_error_code(http::error::bad_version).category();
  if (!is_from_parser || error == http::error::end_of_stream || error == http::error::partial_message) return close();
  refuse_unreadable(error);
}

void Connection::refuse_unreadable(const ErrorCode& error) {
  ++state_.counts.bad;
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return refuse({431, "too_large", fmt::format("a request's head has at most {} bytes", state_.limits.head_bytes)});
  if (error == http::error::bad_version) return refuse({505, "wrong_version", "this is no HTTP/1.1 request"});
  refuse({400, "bad_request", fmt::format("this is no HTTP request: {}", error.message())});
}

void Connection::admit_request() {
  try {
    keeps_alive_ = parser_->get().keep_alive() && !state_.is_stopping;
    admission_ = state_.guard.admit(head_of(parser_->get()));
    admission_->request.client = client_;
    const size_t limit =
        std::min(state_.app.body_limit(admission_->request, state_.limits), state_.limits.largest_body_bytes);
    if (admission_->body_bytes > limit)
      throw HttpError(413, "too_large",
                      fmt::format("the body has {} bytes, at most {} are read", admission_->body_bytes, limit));
  } catch (const HttpError& error) {
    return refuse(error);
  }
  if (admission_->answer) return respond(std::move(*admission_->answer));
  if (admission_->body_bytes == 0) return call_app();
  read_body();
}

void Connection::refuse(const HttpError& error) {
  keeps_alive_ = false;  // where the next request begins is not known
  respond(error_response(error));
}

void Connection::read_body() {
  const size_t bytes = admission_->body_bytes;
  if (bytes > state_.limits.body_bytes) {
    if (state_.body_bytes + bytes > state_.limits.all_bodies_bytes) return refuse(busy());
    state_.body_bytes += bytes;
    body_share_ = std::shared_ptr<void>(nullptr, [&state = state_, bytes](void*) { state.body_bytes -= bytes; });
  }
  std::string& body = admission_->request.body;
  const size_t have = std::min(bytes, buffer_.size());
  body.assign(static_cast<const char*>(buffer_.data().data()), have);
  buffer_.consume(have);
  if (have == bytes) return call_app();
  set_timer(state_.limits.body_time, &Connection::drop_slow_client);
  if (admission_->expects_continue) return write("HTTP/1.1 100 Continue\r\n\r\n", &Connection::read_rest_of_body);
  read_rest_of_body();
}

void Connection::read_rest_of_body() {
  std::string& body = admission_->request.body;
  const size_t have = body.size();
  set_timer(state_.limits.body_time, &Connection::drop_slow_client);
  body.resize(admission_->body_bytes);
  asio::async_read(socket_, asio::buffer(body.data() + have, body.size() - have),
                   then([this](const ErrorCode& error, size_t) { error ? close() : call_app(); }));
}

void Connection::call_app() {
  stop_timer();
  asio::post(state_.app_threads, [self = shared_from_this(), request = std::move(admission_->request),
                                  share = std::move(body_share_)]() mutable {
    HttpResponse response = answer_of(self->state_.app, request, self->state_.log);
    asio::io_context& io = self->state_.io;
    // The connection must not end on this thread.
    asio::post(io, [self = std::move(self), response = std::move(response)]() mutable {
      self->act([&] { self->respond(std::move(response)); });
    });
  });
}

void Connection::respond(HttpResponse response) {
  ++state_.counts.responses[static_cast<size_t>(std::clamp(response.status / 100, 1, 5) - 1)];
  const bool has_body = parser_->get().method() != http::verb::head;
  const bool is_chunked = response.source != nullptr && !response.source_bytes;
  // While a stream lasts, what the client sends is not kept.
  if (is_chunked || state_.is_stopping) keeps_alive_ = false;
  std::string bytes = response_head(response, keeps_alive_);
  if (has_body) bytes += response.body;
  source_ = has_body ? std::move(response.source) : nullptr;
  source_rest_ = response.source_bytes;
  write(std::move(bytes), source_ ? &Connection::ask_source : &Connection::finish);
}

void Connection::write(std::string bytes, Step next) {
  outgoing_ = std::move(bytes);
  written_ = 0;
  write_rest(next);
}

void Connection::write_rest(Step next) {
  set_timer(state_.limits.write_stall, &Connection::drop_slow_client);
  const size_t bytes = std::min(outgoing_.size() - written_, kPieceBytes);
  socket_.async_write_some(asio::buffer(outgoing_.data() + written_, bytes),
                           then([this, next](const ErrorCode& error, size_t taken) {
                             if (error) return close();
                             written_ += taken;
                             if (written_ < outgoing_.size()) return write_rest(next);
                             stop_timer();
                             (this->*next)();
                           }));
}

void Connection::ask_source() {
  asio::post(state_.body_threads, [self = shared_from_this(), source = source_]() mutable {
    const uint64_t wakes = self->state_.wakes;
    Piece piece = next_piece_of(*source, kPieceBytes, self->state_.log);
    asio::io_context& io = self->state_.io;
    asio::post(io, [self = std::move(self), source = std::move(source), piece = std::move(piece), wakes]() mutable {
      self->act([&] { self->take_piece(std::move(piece), wakes); });
    });
  });
}

void Connection::take_piece(Piece piece, uint64_t wakes_before) {
  if (piece.kind == Piece::Kind::kEnd) return end_source();
  const bool is_cut = state_.is_stopping && !source_rest_;
  if (is_cut || piece.kind == Piece::Kind::kFailed) return close();  // without the last chunk: the body is not complete
  if (piece.kind == Piece::Kind::kBytes && !piece.bytes.empty()) return write_piece(std::move(piece.bytes));
  if (state_.wakes != wakes_before) return ask_source();  // news came in between
  wait_for_piece(piece.wait);
}

void Connection::write_piece(std::string bytes) {
  if (!source_rest_) return write(as_chunk(bytes), &Connection::ask_source);
  if (bytes.size() > *source_rest_) return close();
  *source_rest_ -= bytes.size();
  write(std::move(bytes), *source_rest_ > 0 ? &Connection::ask_source : &Connection::finish);
}

void Connection::wait_for_piece(Time wait) {
  state_.waiting.insert(this);
  keeps_alive_ = false;
  drain();
  set_timer(std::clamp(wait, Time(1), state_.limits.heartbeat), &Connection::ask_again);
}

void Connection::ask_again() {
  if (state_.waiting.erase(this) == 0) return;
  stop_timer();
  ask_source();
}

void Connection::end_source() {
  if (source_rest_.value_or(0) > 0) return close();  // fewer bytes than announced
  if (source_rest_) return finish();
  source_.reset();
  write("0\r\n\r\n", &Connection::finish);
}

void Connection::finish() {
  source_.reset();
  if (keeps_alive_) return await_request();
  ErrorCode ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  drain();
  set_timer(state_.limits.stop_time, &Connection::close);
}

void Connection::drain() {
  if (is_draining_) return;
  is_draining_ = true;
  socket_.async_read_some(asio::buffer(scratch_), then([this](const ErrorCode& error, size_t bytes) {
                            is_draining_ = false;
                            drained_ += bytes;
                            if (error || drained_ > kMostDrained) return close();
                            drain();
                          }));
}

}  // namespace sgf
