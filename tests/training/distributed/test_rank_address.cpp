// Where the store of the ranks may be reached from, and what an address that means nothing says.
#include "sgf/training/distributed/rank_address.h"

#include "sgf/training/distributed/rank_settings.h"
#include "tests/core/refusal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
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
  for (const char* address : {"localhost", "sgf.localhost", "127.0.0.1", "127.0.1.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback(address)) << address;
  for (const char* address :
       {"node1", "10.0.0.1", "0.0.0.0", "fe80::1", "::", "::ffff:10.0.0.1", "localhost.example.org", ""})
    EXPECT_FALSE(is_loopback(address)) << address;
}

TEST(RankAddress, ANumberOfThisHostIsListenedOnAlone) {
  const Listener listener("127.0.0.1");
  ASSERT_TRUE(listener.socket);
  EXPECT_EQ(listener.place().sin_addr.s_addr, htonl(INADDR_LOOPBACK));
}

// The store then listens on all interfaces.
TEST(RankAddress, ANameOrAnotherHostsNumberIsNotListenedOn) {
  for (const char* address : {"node1", "192.0.2.7"}) EXPECT_FALSE(Listener(address).socket) << address;
}

// getaddrinfo takes 127.1 for 127.0.0.1, like a name that /etc/hosts gives this address.
TEST(RankAddress, ANameOfTheLoopbackIsOneOfItsAddresses) {
  for (const char* name : {"127.1", "localhost", "sgf.localhost"}) {
    const std::vector<std::string> resolved = resolve(name, 10s);
    EXPECT_EQ(address_to_reach(name, resolved, false), "127.0.0.1") << name;
  }
  EXPECT_EQ(address_to_reach("node1", {"::1", "127.0.1.1"}, false), "127.0.1.1");
  EXPECT_EQ(address_to_reach("node1", {"127.0.1.1", "10.0.0.1"}, false), "node1");
  EXPECT_EQ(address_to_reach("node1", {"127.0.1.1"}, true), "node1") << "other hosts may know it as 10.0.0.1";
  EXPECT_EQ(address_to_reach("localhost", {"127.0.0.1"}, true), "127.0.0.1");
  EXPECT_EQ(address_to_reach("10.0.0.1", {"10.0.0.1"}, false), "10.0.0.1");
}

TEST(RankAddress, ALoopbackAddressThatCannotBeOpenedIsNeverReplacedByAllInterfaces) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const std::string refusal = refusal_of([] { listen_on("127.0.0.1", 0); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(refusal, HasSubstr("port 0 of 127.0.0.1 cannot be opened"));
}

TEST(RankAddress, APortThatIsTakenIsRefused) {
  const Listener first("127.0.0.1");
  const int64_t port = ntohs(first.place().sin_port);
  EXPECT_THAT(refusal_of([&] { listen_on("127.0.0.1", port); }),
              AllOf(HasSubstr(std::to_string(port)), HasSubstr("MASTER_PORT")));
}

TEST(RankAddress, WhetherSomebodyListensIsKnown) {
  std::optional<Listener> listener(std::in_place, "127.0.0.1");
  const int64_t port = ntohs(listener->place().sin_port);
  EXPECT_TRUE(is_answered("127.0.0.1", port, 10s));
  listener.reset();
  EXPECT_FALSE(is_answered("127.0.0.1", port, 200ms));
  EXPECT_FALSE(is_answered("no number", port, 200ms));
}

TEST(RankAddress, AnAddressThatMeansNothingIsNamedWithinItsLimit) {
  EXPECT_THAT(refusal_of([] { resolve("no-such-host.invalid", 300ms); }),
              AllOf(HasSubstr("MASTER_ADDR 'no-such-host.invalid' does not resolve"), HasSubstr("/etc/hosts")));
  for (const char* address : {"127.0.0.1", "localhost", "192.0.2.7", "::1"}) resolve(address, 300ms);
  EXPECT_LT(RankSettings().resolve, 30s);
}

}  // namespace
}  // namespace sgf
