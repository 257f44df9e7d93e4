// The torch wheel contains Gloo but not its headers. The system's headers work, since torch holds Gloo by pointer.
#define USE_C10D_GLOO 1

#include "sgf/core/error.h"
#include "sgf/training/distributed/rank_address.h"
#include "sgf/training/distributed/rank_groups.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <cstdlib>

namespace sgf {
namespace {

// The interface in torch's variable, or loopback if the store is there, else the address of the host name.
std::shared_ptr<gloo::transport::Device> choose_device(const RankPlace& place) {
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  if (interface != nullptr && *interface != '\0') return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  if (is_loopback(place.address)) return c10d::ProcessGroupGloo::createDeviceForHostname(place.address);
  return c10d::ProcessGroupGloo::createDefaultDevice();
}

}  // namespace

bool has_gloo() { return true; }
void require_gloo(const RankPlace&) {}

RankGroup make_gloo_group(const RankPlace& place, const RankStore& store, std::chrono::milliseconds timeout) {
  try {
    const auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    options->devices.push_back(choose_device(place));
    return c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>("gloo", store),
                                                       static_cast<int>(place.rank), static_cast<int>(place.size),
                                                       options);
  } catch (const std::exception& error) {
    fail("rank {} cannot connect to the other ranks; set GLOO_SOCKET_IFNAME to the network interface to use ({})",
         place.rank, error.what());
  }
}

}  // namespace sgf
