#include "sgf/training/distributed/rank_meeting.h"

#include "sgf/core/error.h"
#include "sgf/training/distributed/heard_ranks.h"

#include <fmt/ranges.h>
#include <unistd.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <array>

namespace sgf {
namespace {

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1e3; }

std::string own_name(int64_t rank) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("rank {} (host {}, pid {})", rank, host.data(), ::getpid());
}

std::string name_key(int64_t rank) { return fmt::format("name/{}", rank); }

RankStore connect(const RankPlace& place, bool is_server, std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(place.port);
  options.isServer = is_server;
  options.waitWorkers = false;  // ours says who is missing
  options.timeout = timeout;
  try {
    // A prefix, because torchrun's agent keeps things of its own there.
    return c10::make_intrusive<c10d::PrefixStore>("sgf", c10::make_intrusive<c10d::TCPStore>(place.address, options));
  } catch (const std::exception& error) {
    if (is_server)
      fail("training", "rank 0 cannot open port {}: set MASTER_PORT to a free one ({})", place.port, error.what());
    fail("training", "rank {} cannot reach the store of the ranks at {}:{}: is rank 0 running there? ({})", place.rank,
         place.address, place.port, error.what());
  }
}

void announce(c10d::Store& store, const RankPlace& place) {
  check(store.add(fmt::format("came/{}", place.rank), 1) == 1, "training",
        "two processes came to {}:{} as rank {}: give each its own RANK, and each run its own MASTER_PORT",
        place.address, place.port, place.rank);
  store.set(sign_key(place.rank), write_sign({}));
  store.set(name_key(place.rank), own_name(place.rank));
}

void wait_for_all(c10d::Store& store, const RankPlace& place, const RankSettings& settings) {
  std::vector<std::string> keys;
  for (int64_t rank = 0; rank < place.size; ++rank) keys.push_back(name_key(rank));
  try {
    store.wait(keys, settings.start);
  } catch (const std::exception& error) {
    std::vector<int64_t> missing;
    for (int64_t rank = 0; rank < place.size; ++rank)
      if (!store.check({name_key(rank)})) missing.push_back(rank);
    fail("training", "{} of {} ranks did not come to {}:{} within {:.0f} s, missing: rank {} ({})", missing.size(),
         place.size, place.address, place.port, seconds(settings.start), fmt::join(missing, ", "), error.what());
  }
}

}  // namespace

std::string sign_key(int64_t rank) { return fmt::format("sign/{}", rank); }

RankMeeting meet(const RankPlace& place, const RankSettings& settings) {
  RankMeeting meeting;
  meeting.store = connect(place, place.hosts_store(), settings.start);
  meeting.watch_store = connect(place, false, settings.silence);
  announce(*meeting.store, place);
  wait_for_all(*meeting.store, place, settings);
  for (int64_t rank = 0; rank < place.size; ++rank) meeting.names.push_back(meeting.store->get_to_str(name_key(rank)));
  meeting.store_name = fmt::format("the store of the ranks at {}:{}, kept by {}", place.address, place.port,
                                   place.has_agent_store ? "the launcher" : meeting.names[0]);
  return meeting;
}

}  // namespace sgf
