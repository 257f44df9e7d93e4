#include "sgf/training/distributed/rank_meeting.h"

#include "sgf/core/error.h"
#include "sgf/training/distributed/heard_ranks.h"
#include "sgf/training/distributed/rank_address.h"

#include <fmt/ranges.h>
#include <unistd.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <array>
#include <thread>

namespace sgf {
namespace {

using MeetingClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMeetingNap{50};
const char* const kSizeKey = "world_size";

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1e3; }

std::string own_name(int64_t rank) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("rank {} (host {}, pid {})", rank, host.data(), ::getpid());
}

std::string came_key(int64_t rank) { return fmt::format("came/{}", rank); }
std::string name_key(int64_t rank) { return fmt::format("name/{}", rank); }

RankStore connect(const RankPlace& place, bool is_server, std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(place.port);
  options.isServer = is_server;
  options.waitWorkers = false;  // ours says who is missing
  options.timeout = timeout;
  if (is_server) options.masterListenFd = listen_on(place.address, place.port);
  try {
    // A prefix, because torchrun's agent keeps things of its own there.
    return c10::make_intrusive<c10d::PrefixStore>(
        "sgf", c10::make_intrusive<c10d::TCPStore>(address_to_reach(place.address), options));
  } catch (const std::exception& error) {
    if (is_server) fail("rank 0 cannot open port {}: set MASTER_PORT to a free one ({})", place.port, error.what());
    fail("rank {} cannot reach the store of the ranks at {}:{}: is rank 0 running there? ({})", place.rank,
         place.address, place.port, error.what());
  }
}

// One rank on its way to the meeting.
class Arrival {
 public:
  Arrival(c10d::Store& store, const RankPlace& place, const RankSettings& settings)
      : store_(store), place_(place), settings_(settings) {}

  void announce() {
    SGF_CHECK(store_.add(came_key(place_.rank), 1) == 1,
              "two processes came to {}:{} as rank {}: give each its own RANK, and each run its own MASTER_PORT",
              place_.address, place_.port, place_.rank);
    store_.add(kArrivedKey, 1);
    compare_size();
    store_.set(sign_key(place_.rank), write_sign({}));
    store_.set(name_key(place_.rank), own_name(place_.rank));
  }

  void wait_for_all() {
    std::vector<std::string> keys;
    for (int64_t rank = 0; rank < place_.size; ++rank) keys.push_back(name_key(rank));
    const MeetingClock::time_point until = MeetingClock::now() + settings_.start;
    while (!store_.check(keys)) {
      if (store_.check({kEndingKey})) end(store_.get_to_str(kEndingKey), place_.size);
      if (MeetingClock::now() > until) end(name_missing(), /*expected=*/0);
      std::this_thread::sleep_for(kMeetingNap);
    }
  }

 private:
  // The first rank to come says how many there are. One that counts more may come when the others have met already: it
  // ends their run.
  void compare_size() {
    const std::string first =
        store_.compareSet(kSizeKey, "", fmt::format("{} on {}", place_.size, own_name(place_.rank)));
    const int64_t size = std::stoll(first);
    if (size == place_.size) return;
    end(fmt::format("WORLD_SIZE differs among the ranks: {}, {} on {}; start all ranks with the same WORLD_SIZE", first,
                    place_.size, own_name(place_.rank)),
        std::max(size, place_.size));
  }

  std::string name_missing() {
    std::vector<int64_t> missing;
    for (int64_t rank = 0; rank < place_.size; ++rank)
      if (!store_.check({name_key(rank)})) missing.push_back(rank);
    return fmt::format("{} of {} ranks did not come to {}:{} within {:.0f} s, missing: rank {}", missing.size(),
                       place_.size, place_.address, place_.port, seconds(settings_.start), fmt::join(missing, ", "));
  }

  // Ends the run for all who come, with the first message that was told.
  [[noreturn]] void end(const std::string& message, int64_t expected) {
    const std::string ending = store_.compareSet(kEndingKey, "", message);
    store_.add(kEndingSeenKey, 1);
    if (place_.hosts_store()) wait_for_readers(expected);
    fail("{}", ending);
  }

  // By their own numbers: one that nobody expected may have come instead.
  bool all_came(int64_t ranks) {
    std::vector<std::string> keys;
    for (int64_t rank = 0; rank < ranks; ++rank) keys.push_back(came_key(rank));
    return keys.empty() || store_.check(keys);
  }

  // Whoever has come will read the message; those who are still expected get a little time.
  void wait_for_readers(int64_t expected) {
    const MeetingClock::time_point start = MeetingClock::now();
    while (MeetingClock::now() - start < settings_.silence) {
      const bool is_over = all_came(expected) || MeetingClock::now() - start > settings_.grace;
      const int64_t readers = store_.add(kEndingSeenKey, 0), arrived = store_.add(kArrivedKey, 0);
      if (readers >= arrived && is_over) return;
      std::this_thread::sleep_for(kMeetingNap);
    }
  }

  c10d::Store& store_;
  const RankPlace& place_;
  const RankSettings& settings_;
};

void arrive(c10d::Store& store, const RankPlace& place, const RankSettings& settings) {
  try {
    Arrival arrival(store, place, settings);
    arrival.announce();
    arrival.wait_for_all();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail("rank {} lost the store of the ranks at {}:{} while it waited for all to come: has rank 0 ended? ({})",
         place.rank, place.address, place.port, error.what());
  }
}

}  // namespace

std::string sign_key(int64_t rank) { return fmt::format("sign/{}", rank); }

RankMeeting meet(const RankPlace& place, const RankSettings& settings) {
  check_resolves(place.address, settings.resolve);
  RankMeeting meeting;
  meeting.store = connect(place, place.hosts_store(), settings.start);
  meeting.watch_store = connect(place, false, settings.silence);
  arrive(*meeting.store, place, settings);
  for (int64_t rank = 0; rank < place.size; ++rank) meeting.names.push_back(meeting.store->get_to_str(name_key(rank)));
  meeting.store_name = fmt::format("the store of the ranks at {}:{}, kept by {}", place.address, place.port,
                                   place.has_agent_store ? "the launcher" : meeting.names[0]);
  return meeting;
}

}  // namespace sgf
