// Where the store of the ranks listens, and whether its address is valid on this host. Torch-free.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sgf {

// Whether only this host can reach the address: localhost, ::1, or 127.x.x.x. A host name that /etc/hosts maps to
// 127.0.1.1 does not count: other hosts resolve it to another address.
bool is_loopback(const std::string& address);

// The address that ranks connect to: 127.0.0.1 for localhost, which may resolve to two addresses; else unchanged.
std::string address_to_reach(const std::string& address);

// Throws if the address does not resolve within `limit`. Retries until then, since the name of a starting host may
// become known late.
void check_resolves(const std::string& address, std::chrono::milliseconds limit);

// A socket that listens on this address only; the caller owns it. Empty if the address is a name, which other hosts may
// resolve differently, or not an address of this host. Throws if the port is in use.
std::optional<int> listen_on(const std::string& address, int64_t port);

}  // namespace sgf
