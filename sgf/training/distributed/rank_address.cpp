#include "sgf/training/distributed/rank_address.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <thread>

namespace sgf {
namespace {

using std::chrono::milliseconds;

// A numeric address with a port.
struct SocketPlace {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

std::optional<SocketPlace> read_number(const std::string& address, int64_t port) {
  SocketPlace place;
  auto* four = reinterpret_cast<sockaddr_in*>(&place.storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&place.storage);
  if (::inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(static_cast<uint16_t>(port));
    place.length = sizeof(sockaddr_in);
    return place;
  }
  if (::inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) != 1) return std::nullopt;
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(static_cast<uint16_t>(port));
  place.length = sizeof(sockaddr_in6);
  return place;
}

struct LookUp {
  int error = EAI_AGAIN;
  std::vector<std::string> addresses;
};

std::vector<std::string> numbers_of(const addrinfo* found) {
  std::vector<std::string> numbers;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
      numbers.emplace_back(text.data());
  }
  return numbers;
}

// The result of getaddrinfo, which cannot be interrupted: after the time limit its thread is abandoned.
LookUp look_up(const std::string& address, milliseconds limit) {
  std::packaged_task<LookUp()> task([address] {
    const addrinfo wanted{.ai_socktype = SOCK_STREAM};
    addrinfo* found = nullptr;
    LookUp result{.error = ::getaddrinfo(address.c_str(), nullptr, &wanted, &found)};
    if (result.error != 0) return result;
    result.addresses = numbers_of(found);
    ::freeaddrinfo(found);
    return result;
  });
  std::future<LookUp> answer = task.get_future();
  std::thread(std::move(task)).detach();
  return answer.wait_for(limit) == std::future_status::ready ? answer.get() : LookUp();
}

// RFC 6761 reserves these names for the loopback interface.
bool is_localhost(const std::string& address) { return address == "localhost" || address.ends_with(".localhost"); }

}  // namespace

bool is_loopback(const std::string& address) {
  if (is_localhost(address)) return true;
  const std::optional<SocketPlace> place = read_number(address, 0);
  if (!place) return false;
  if (place->storage.ss_family == AF_INET6) {
    const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(&place->storage)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == IN_LOOPBACKNET);
  }
  return ntohl(reinterpret_cast<const sockaddr_in*>(&place->storage)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

std::vector<std::string> resolve(const std::string& address, milliseconds limit) {
  if (is_localhost(address)) return {"127.0.0.1"};  // could be two addresses, of which the ranks must choose the same
  if (read_number(address, 0)) return {address};
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + limit;
  LookUp last;
  for (milliseconds left = limit; left.count() > 0;) {
    last = look_up(address, left);
    if (last.error == 0) return last.addresses;
    left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    std::this_thread::sleep_for(std::clamp(left, milliseconds(0), milliseconds(500)));
  }
  fail(
      "MASTER_ADDR {} does not resolve to an address on this host ({}; tried for {:.0f} s): check its spelling, DNS "
      "and "
      "/etc/hosts, or set MASTER_ADDR to the IP address of rank 0's host",
      in_quotes(address), ::gai_strerror(last.error), static_cast<double>(limit.count()) / 1e3);
}

std::string address_to_reach(const std::string& address, const std::vector<std::string>& resolved,
                             bool has_other_hosts) {
  if (is_localhost(address)) return "127.0.0.1";
  const bool is_on_this_host = !resolved.empty() && std::ranges::all_of(resolved, is_loopback);
  return is_on_this_host && !has_other_hosts ? std::ranges::min(resolved) : address;  // IPv4 first
}

std::optional<int> listen_on(const std::string& address, int64_t port) {
  const std::optional<SocketPlace> place = read_number(address, port);
  if (!place) return std::nullopt;
  const int listener = ::socket(place->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(listener, place->address(), place->length) == 0 && ::listen(listener, SOMAXCONN) == 0) return listener;
  const int error = errno;  // of socket, bind or listen
  if (listener >= 0) ::close(listener);
  SGF_CHECK(error != EADDRINUSE, "port {} of {} is taken by another program: set MASTER_PORT to a free one", port,
            address);
  SGF_CHECK(!is_loopback(address), "port {} of {} cannot be opened: {}; set MASTER_PORT or MASTER_ADDR", port, address,
            std::strerror(error));
  return std::nullopt;  // an address that other hosts reach through NAT is not a local one
}

bool is_answered(const std::string& address, int64_t port, milliseconds limit) {
  const std::optional<SocketPlace> place = read_number(address, port);
  const auto until = std::chrono::steady_clock::now() + limit;
  while (place && std::chrono::steady_clock::now() < until) {
    const int socket = ::socket(place->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) return false;
    pollfd connection{.fd = socket, .events = POLLOUT, .revents = 0};
    constexpr int kPatience = 1000;  // milliseconds, for a host that drops packets
    const bool is_open = ::connect(socket, place->address(), place->length) == 0 ||
                         (errno == EINPROGRESS && ::poll(&connection, 1, kPatience) == 1 &&
                          (connection.revents & (POLLERR | POLLHUP)) == 0);
    ::close(socket);
    if (is_open) return true;
    std::this_thread::sleep_for(milliseconds(100));
  }
  return false;
}

}  // namespace sgf
