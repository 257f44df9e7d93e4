// Where the store of the ranks listens, and whether its address is valid on this host. Torch-free.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Whether the address is written as one that only this host can reach: localhost, a name that ends with .localhost,
// ::1, or 127.x.x.x.
bool is_loopback(const std::string& address);

// The numeric addresses that an address stands for: itself if it is one, 127.0.0.1 for localhost. Throws if a name does
// not resolve within `limit`. Retries until then, since the name of a starting host may become known late.
std::vector<std::string> resolve(const std::string& address, std::chrono::milliseconds limit);

// The address that ranks listen on, and connect to. A name that resolves to loopback addresses alone is one of these
// (Debian gives a host's own name 127.0.1.1), unless ranks are known to run on other hosts, which may resolve it to
// another address.
std::string address_to_reach(const std::string& address, const std::vector<std::string>& resolved,
                             bool has_other_hosts);

// A socket that listens on this address only; the caller owns it. Empty if the address is a name, which other hosts may
// resolve differently, or not an address of this host. Throws if the port is in use.
std::optional<int> listen_on(const std::string& address, int64_t port);

// Whether a program listens at this numeric address within `limit`.
bool is_answered(const std::string& address, int64_t port, std::chrono::milliseconds limit);

}  // namespace sgf
