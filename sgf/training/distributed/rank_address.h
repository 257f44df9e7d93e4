// Where the store of the ranks listens, and whether its address means anything on this host. Torch-free.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sgf {

// Whether only this host can reach the address: localhost, ::1, or 127.0.0.1 and its neighbours. A host name that
// /etc/hosts maps to 127.0.1.1 does not count: other hosts know it by another address.
bool is_loopback(const std::string& address);

// The address that ranks connect to: 127.0.0.1 for localhost, which may stand for two addresses; else as it is.
std::string address_to_reach(const std::string& address);

// Refuses an address that has no number within `limit`. Tries again until then: the name of a host that is being
// started may come late.
void check_resolves(const std::string& address, std::chrono::milliseconds limit);

// A socket that listens on this address alone; the caller owns it. Nothing where the address is a name, which may
// stand for another of this host's networks elsewhere, or not an address of this host. Refuses a port that is taken.
std::optional<int> listen_on(const std::string& address, int64_t port);

}  // namespace sgf
