#include "sgf/training/distributed/rank_address.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
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

// The result of getaddrinfo, which cannot be interrupted: after the time limit its thread is abandoned.
int look_up(const std::string& address, milliseconds limit) {
  std::packaged_task<int()> task([address] {
    addrinfo* found = nullptr;
    const int error = ::getaddrinfo(address.c_str(), nullptr, nullptr, &found);
    if (error == 0) ::freeaddrinfo(found);
    return error;
  });
  std::future<int> answer = task.get_future();
  std::thread(std::move(task)).detach();
  return answer.wait_for(limit) == std::future_status::ready ? answer.get() : EAI_AGAIN;
}

}  // namespace

bool is_loopback(const std::string& address) {
  if (address == "localhost") return true;
  const std::optional<SocketPlace> place = read_number(address, 0);
  if (!place) return false;
  if (place->storage.ss_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&place->storage)->sin6_addr);
  return ntohl(reinterpret_cast<const sockaddr_in*>(&place->storage)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

std::string address_to_reach(const std::string& address) { return address == "localhost" ? "127.0.0.1" : address; }

void check_resolves(const std::string& address, milliseconds limit) {
  if (read_number(address_to_reach(address), 0)) return;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + limit;
  int error = EAI_AGAIN;
  for (milliseconds left = limit; left.count() > 0;) {
    error = look_up(address, left);
    if (error == 0) return;
    left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    std::this_thread::sleep_for(std::clamp(left, milliseconds(0), milliseconds(500)));
  }
  fail(
      "MASTER_ADDR {} does not resolve to an address on this host ({}; tried for {:.0f} s): check its spelling, DNS "
      "and "
      "/etc/hosts, or set MASTER_ADDR to the IP address of rank 0's host",
      in_quotes(address), ::gai_strerror(error), static_cast<double>(limit.count()) / 1e3);
}

std::optional<int> listen_on(const std::string& address, int64_t port) {
  const std::optional<SocketPlace> place = read_number(address_to_reach(address), port);
  if (!place) return std::nullopt;
  const int listener = ::socket(place->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return std::nullopt;
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(listener, place->address(), place->length) == 0 && ::listen(listener, SOMAXCONN) == 0) return listener;
  const int error = errno;
  ::close(listener);
  SGF_CHECK(error != EADDRINUSE, "port {} of {} is taken by another program: set MASTER_PORT to a free one", port,
            address);
  return std::nullopt;  // an address that other hosts reach through NAT is not a local one
}

}  // namespace sgf
