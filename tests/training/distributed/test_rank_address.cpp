// Where the store of the ranks may be reached from, and what an address that means nothing says.
#include "sgf/training/distributed/rank_address.h"

#include "sgf/training/distributed/rank_settings.h"
#include "tests/core/refusal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sgf {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Listener {
  std::optional<int> socket;
  explicit Listener(const std::string& address, int64_t port = 0) : socket(listen_on(address, port)) {}
  ~Listener() {
    if (socket) ::close(*socket);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  sockaddr_in place() const {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    ::getsockname(*socket, reinterpret_cast<sockaddr*>(&address), &length);
    return address;
  }
};

TEST(RankAddress, OnlyWhatNoOtherHostReachesIsLoopback) {
  for (const char* address : {"localhost", "127.0.0.1", "127.0.1.1", "::1"})
    EXPECT_TRUE(is_loopback(address)) << address;
  for (const char* address : {"node1", "10.0.0.1", "0.0.0.0", "fe80::1", "::", "localhost.example.org", ""})
    EXPECT_FALSE(is_loopback(address)) << address;
}

TEST(RankAddress, ANumberOfThisHostIsListenedOnAlone) {
  for (const char* address : {"127.0.0.1", "localhost"}) {
    const Listener listener(address);
    ASSERT_TRUE(listener.socket) << address;
    EXPECT_EQ(listener.place().sin_addr.s_addr, htonl(INADDR_LOOPBACK)) << address;
  }
}

// The store then listens on all interfaces.
TEST(RankAddress, ANameOrAnotherHostsNumberIsNotListenedOn) {
  for (const char* address : {"node1", "192.0.2.7"}) EXPECT_FALSE(Listener(address).socket) << address;
}

TEST(RankAddress, APortThatIsTakenIsRefused) {
  const Listener first("127.0.0.1");
  const int64_t port = ntohs(first.place().sin_port);
  EXPECT_THAT(refusal_of([&] { listen_on("127.0.0.1", port); }),
              AllOf(HasSubstr(std::to_string(port)), HasSubstr("MASTER_PORT")));
}

TEST(RankAddress, AnAddressThatMeansNothingIsNamedWithinItsLimit) {
  EXPECT_THAT(refusal_of([] { check_resolves("no-such-host.invalid", 300ms); }),
              AllOf(HasSubstr("MASTER_ADDR 'no-such-host.invalid' does not resolve"), HasSubstr("/etc/hosts")));
  for (const char* address : {"127.0.0.1", "localhost", "192.0.2.7", "::1"}) check_resolves(address, 300ms);
  EXPECT_LT(RankSettings().resolve, 30s);
}

}  // namespace
}  // namespace sgf
