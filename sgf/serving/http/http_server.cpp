#include "sgf/serving/http/http_server.h"

#include "sgf/core/in_quotes.h"
#include "sgf/serving/http/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/version.hpp>

#include <algorithm>
#include <future>
#include <mutex>
#include <thread>

namespace sgf {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

// What the kernel keeps for a client that reads slowly.
constexpr int kSendBuffer = 256 << 10;

// Letters that neither a cookie nor an address escapes.
void check_token(const std::string& token) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
  };
  SGF_CHECK(token.empty() || token.size() >= 8, "a token has at least 8 characters, got {}", token.size());
  SGF_CHECK(std::ranges::all_of(token, is_plain), "a token has letters, digits, '-', '_', '.' and '~' only");
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

RequestGuard make_guard(const HttpServerSettings& settings) {
  check_token(settings.token);
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "[::1]"};
  for (const std::string& name : settings.names) hosts.push_back(lower_case(name));
  const std::string host = lower_case(settings.host);
  hosts.push_back(host.find(':') == std::string::npos ? host : "[" + host + "]");
  const bool is_for_all = host == "0.0.0.0" || host == "::";
  return RequestGuard({.hosts = std::move(hosts), .token = settings.token, .takes_addresses = is_for_all});
}

asio::ip::address find_address(const std::string& host, asio::io_context& io) {
  if (host == "localhost") return asio::ip::address_v4::loopback();
  error_code error;
  const asio::ip::address numeric = asio::ip::make_address(host, error);
  if (!error) return numeric;
  const auto found = tcp::resolver(io).resolve(host, "", tcp::resolver::passive, error);
  SGF_CHECK(!error && !found.empty(), "{} is no address of this machine ({}): use 127.0.0.1, or 0.0.0.0 for all",
            in_quotes(host), error.message());
  return found.begin()->endpoint().address();
}

[[noreturn]] void fail_to_listen(const HttpServerSettings& settings, const error_code& error) {
  if (error == asio::error::address_in_use)
    fail("port {} of {} is taken by another program: choose another, or 0 for any free one", settings.port,
         settings.host);
  if (error == asio::error::access_denied)
    fail("port {} needs root: choose one from 1024 on, or 0 for any free one", settings.port);
  fail("cannot listen on port {} of {}: {}; use an address of this machine, 127.0.0.1, or 0.0.0.0 for all",
       settings.port, in_quotes(settings.host), error.message());
}

tcp::acceptor listen_on(const HttpServerSettings& settings, asio::io_context& io) {
  SGF_CHECK(settings.port >= 0 && settings.port <= 65535, "a port lies between 0 and 65535, got {}", settings.port);
  const tcp::endpoint place(find_address(settings.host, io), static_cast<uint16_t>(settings.port));
  tcp::acceptor acceptor(io);
  error_code error;
  acceptor.open(place.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(place, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) fail_to_listen(settings, error);
  return acceptor;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const HttpServerSettings& settings, HttpApp& app)
      : state_(settings, app, make_guard(settings)), acceptor_(listen_on(settings, state_.io)), timer_(state_.io) {
    port_ = acceptor_.local_endpoint().port();
    state_.all_closed = [this] { tell_closed(); };
    accept();
    thread_ = std::thread([this] { run(); });
  }

  int64_t port() const { return port_; }
  const LiveCounts& counts() const { return state_.counts; }

  void wake() {
    ++state_.wakes;
    if (state_.is_wake_posted.exchange(true)) return;
    asio::post(state_.io, [this] {
      state_.is_wake_posted = false;
      const std::vector<Connection*> waiting(state_.waiting.begin(), state_.waiting.end());
      for (Connection* connection : waiting) connection->ask_again();
    });
  }

  void stop() {
    const std::lock_guard lock(stopping_);
    if (!thread_.joinable()) return;
    asio::post(state_.io, [this] { begin_to_stop(); });
    closed_.get_future().wait();
    state_.app_threads.join();  // with their last posts, which find their connections closed
    state_.body_threads.join();
    work_.reset();
    thread_.join();
  }

 private:
  // An exception, such as lack of memory, ends the handler that it came from and nothing else.
  void run() {
    for (;;) {
      try {
        state_.io.run();
        return;
      } catch (const std::exception& error) {
        if (state_.log) state_.log(fmt::format("the server continues after an error: {}", in_quotes(error.what())));
      }
    }
  }

  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (error) return accept_later();
      try {
        take(std::move(socket));
      } catch (const std::exception&) {
        ++state_.counts.rejected;
      }
      accept();
    });
  }

  // There are no free file descriptors, most likely.
  void accept_later() {
    timer_.expires_after(std::chrono::milliseconds(100));
    timer_.async_wait([this](const error_code& error) {
      if (!error && acceptor_.is_open()) accept();
    });
  }

  void take(tcp::socket socket) {
    ++state_.counts.accepted;
    error_code error;
    const std::string client = socket.remote_endpoint(error).address().to_string();
    if (error) return;  // it has gone already
    socket.set_option(tcp::no_delay(true), error);
    socket.set_option(asio::socket_base::send_buffer_size(kSendBuffer), error);
    const auto known = state_.per_address.find(client);
    const bool is_one_too_many =
        state_.connections.size() >= state_.limits.connections ||
        (known != state_.per_address.end() && known->second >= state_.limits.connections_per_address);
    if (is_one_too_many) return reject(std::move(socket));
    std::make_shared<Connection>(state_, std::move(socket), client)->start();
  }

  // The answer goes into the socket's buffer or is lost: nothing waits here.
  void reject(tcp::socket socket) {
    ++state_.counts.rejected;
    const HttpResponse response =
        error_response({503, "busy", "the server has too many connections", "try again later"});
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(response_head(response, false) + response.body), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  void begin_to_stop() {
    error_code ignored;
    acceptor_.close(ignored);
    state_.is_stopping = true;
    for (Connection* connection : open_connections()) connection->stop();
    if (state_.connections.empty()) return tell_closed();
    timer_.expires_after(state_.limits.stop_time);
    timer_.async_wait([this](const error_code& error) {
      if (error) return;
      for (Connection* connection : open_connections()) connection->close();
    });
  }

  void tell_closed() {
    timer_.cancel();
    if (!std::exchange(is_closed_, true)) closed_.set_value();
  }

  std::vector<Connection*> open_connections() const { return {state_.connections.begin(), state_.connections.end()}; }

  ServerState state_;
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  int64_t port_ = 0;
  asio::executor_work_guard<asio::io_context::executor_type> work_{state_.io.get_executor()};
  std::promise<void> closed_;
  bool is_closed_ = false;
  std::mutex stopping_;
  std::thread thread_;
};

HttpServer::HttpServer(const HttpServerSettings& settings, HttpApp& app)
    : impl_(std::make_unique<Impl>(settings, app)) {}
HttpServer::~HttpServer() { stop(); }

int64_t HttpServer::port() const { return impl_->port(); }

HttpCounts HttpServer::counts() const {
  const LiveCounts& live = impl_->counts();
  HttpCounts counts{.open_connections = live.open,
                    .connections = live.accepted,
                    .rejected_connections = live.rejected,
                    .dropped_clients = live.dropped,
                    .bad_requests = live.bad,
                    .responses = {}};
  std::ranges::copy(live.responses, counts.responses.begin());
  return counts;
}

void HttpServer::wake() { impl_->wake(); }
void HttpServer::stop() { impl_->stop(); }

bool can_serve() { return true; }

std::string http_component() {
  return fmt::format("Boost.Beast {}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000);
}

}  // namespace sgf
