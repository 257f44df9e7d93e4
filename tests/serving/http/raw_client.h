// A client made of one socket, which sends any bytes whatever and reads what comes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sgf::testing {

// One response as it came.
struct RawResponse {
  int status = 0;  // 0: the connection was closed before a whole head
  std::string head;
  std::string body;
  bool is_whole = false;  // as long as announced, or ended by a last chunk
};

class RawClient {
 public:
  static constexpr std::chrono::milliseconds kPatience{10'000};

  // A small receive buffer makes the server notice soon that nothing is read.
  explicit RawClient(int64_t port, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0)
      throw std::runtime_error("cannot connect to the server under test");
  }
  ~RawClient() { leave(); }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), unread_(std::move(other.unread_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void leave() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  // False once the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  void get(const std::string& target, const std::string& more = "") {
    send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n");
  }
  void post(const std::string& target, const std::string& body, const std::string& more = "") {
    send("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + more + "\r\n" + body);
  }

  // False if the connection ended or nothing came in time.
  bool receive(std::chrono::milliseconds patience = kPatience) {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
    std::string bytes(1 << 16, '\0');
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    unread_.append(bytes, 0, static_cast<size_t>(got));
    return true;
  }

  // Whether the server ends the connection in time; what it still sends is dropped.
  bool is_closed_within(std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
      pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
      char bytes[4096];
      if (::poll(&waiting, 1, 20) > 0 && ::recv(socket_, bytes, sizeof bytes, 0) <= 0) return true;
    }
    return false;
  }

  // Bytes that came and are not part of a response read before, at least `count` unless the connection ends.
  std::string read(size_t count) {
    while (unread_.size() < count && receive()) {
    }
    const size_t taken = std::min(count, unread_.size());
    std::string bytes = unread_.substr(0, taken);
    unread_.erase(0, taken);
    return bytes;
  }

  std::string read_line() {
    size_t end = 0;
    while ((end = unread_.find("\r\n")) == std::string::npos)
      if (!receive()) return std::exchange(unread_, "");
    return read(end + 2).substr(0, end);
  }

  RawResponse read_head() {
    RawResponse response;
    size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos)
      if (!receive()) return response;
    response.head = read(end + 4);
    response.status = std::stoi(response.head.substr(std::string("HTTP/1.1 ").size(), 3));
    return response;
  }

  // One chunk's bytes; empty for the last one and for a connection that ended.
  std::pair<std::string, bool> read_chunk() {
    const std::string line = read_line();
    if (line.empty()) return {"", false};
    const size_t bytes = std::stoul(line, nullptr, 16);
    std::string chunk = read(bytes);
    return {chunk, read_line().empty() && chunk.size() == bytes};
  }

  RawResponse read_response() {
    RawResponse response = read_head();
    const size_t length = response.head.find("Content-Length: ");
    if (response.head.find("Transfer-Encoding: chunked") != std::string::npos) {
      for (;;) {
        auto [bytes, is_whole] = read_chunk();
        response.body += bytes;
        response.is_whole = is_whole && bytes.empty();
        if (bytes.empty() || !is_whole) return response;
      }
    }
    if (length == std::string::npos) return response;
    const size_t bytes = std::stoul(response.head.substr(length + std::string("Content-Length: ").size()));
    response.body = read(bytes);
    response.is_whole = response.body.size() == bytes;
    return response;
  }

 private:
  int socket_ = -1;
  std::string unread_;
};

}  // namespace sgf::testing
