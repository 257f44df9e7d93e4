#include "sgf/training/distributed/rank_meeting.h"

#include "sgf/core/error.h"
#include "sgf/core/notice.h"
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

RankStore connect(const RankPlace& place, const std::string& address, bool is_server,
                  std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(place.port);
  options.isServer = is_server;
  options.waitWorkers = false;  // our own waiting names the missing ranks
  options.timeout = timeout;
  if (is_server) options.masterListenFd = listen_on(address, place.port);
  try {
    // A prefix, because torchrun's agent uses the same store.
    return c10::make_intrusive<c10d::PrefixStore>("sgf", c10::make_intrusive<c10d::TCPStore>(address, options));
  } catch (const std::exception& error) {
    if (is_server) fail("rank 0 cannot open port {}: set MASTER_PORT to a free one ({})", place.port, error.what());
    fail(
        "rank {} cannot reach the store of the ranks at {}:{}: check that rank 0 runs there, with "
        "WORLD_SIZE {} ({})",
        place.rank, place.address, place.port, place.size, error.what());
  }
}

// The startup of one rank.
class Arrival {
 public:
  Arrival(c10d::Store& store, const RankPlace& place, const std::string& address, const RankSettings& settings)
      : store_(store), place_(place), address_(address), settings_(settings) {}

  void announce() {
    SGF_CHECK(store_.add(came_key(place_.rank), 1) == 1,
              "two processes joined {}:{} as rank {}: give each process its own RANK, and each run its own MASTER_PORT",
              place_.address, place_.port, place_.rank);
    compare_size();
    store_.set(sign_key(place_.rank), write_sign({}));
    store_.set(name_key(place_.rank), own_name(place_.rank));
  }

  // Only for a rank that is beyond its own number of ranks: the others learn of that number.
  void tell_size() {
    store_.add(came_key(place_.rank), 1);
    compare_size();
    // It came first: the next rank sees the difference, and ends the run for both.
    const MeetingClock::time_point until = MeetingClock::now() + settings_.resolve;
    for (; MeetingClock::now() < until; std::this_thread::sleep_for(kMeetingNap))
      if (store_.check({kEndingKey})) end(store_.get_to_str(kEndingKey), place_.size);
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
  // The first rank sets the number of ranks. A rank with a larger number may join after the others have met: it ends
  // their run.
  void compare_size() {
    store_.add(kArrivedKey, 1);
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
    return fmt::format("{} of {} ranks did not join {}:{} within {:.0f} s, missing: rank {}{}", missing.size(),
                       place_.size, place_.address, place_.port, seconds(settings_.start), fmt::join(missing, ", "),
                       advice_on_name());
  }

  // Ranks of other hosts cannot join if the master's name is a loopback address on its own host.
  std::string advice_on_name() const {
    if (is_loopback(place_.address) || !is_loopback(address_)) return "";
    return fmt::format(
        "; {} is {} on this host, which other hosts cannot reach: for ranks there, set MASTER_ADDR to an "
        "IP address of rank 0's host",
        place_.address, address_);
  }

  // Ends the run for all ranks that join, with the first message that was sent.
  [[noreturn]] void end(const std::string& message, int64_t expected) {
    const std::string ending = store_.compareSet(kEndingKey, "", message);
    try {
      store_.add(kEndingSeenKey, 1);
      if (place_.hosts_store()) wait_for_readers(expected);
    } catch (const std::exception&) {
      // The rank that keeps the store has read the message and ended: this rank knows it too.
    }
    fail("{}", ending);
  }

  // Checks the rank numbers themselves, since an unexpected rank may have joined instead.
  bool all_came(int64_t ranks) {
    std::vector<std::string> keys;
    for (int64_t rank = 0; rank < ranks; ++rank) keys.push_back(came_key(rank));
    return keys.empty() || store_.check(keys);
  }

  // Ranks that have joined read the message; the missing ones get a short time to join.
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
  const std::string& address_;  // that the store is reached at
  const RankSettings& settings_;
};

void arrive(c10d::Store& store, const RankPlace& place, const std::string& address, const RankSettings& settings) {
  try {
    Arrival arrival(store, place, address, settings);
    arrival.announce();
    arrival.wait_for_all();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail(
        "rank {} lost the store of the ranks at {}:{} while waiting for all ranks: check whether rank 0 has ended ({})",
        place.rank, place.address, place.port, error.what());
  }
}

}  // namespace

std::string sign_key(int64_t rank) { return fmt::format("sign/{}", rank); }

void refuse_rank(const RankPlace& place, const RankSettings& settings) {
  const std::vector<std::string> resolved = resolve(place.address, settings.resolve);
  const std::string address = address_to_reach(place.address, resolved, place.has_other_hosts);
  // Asked first, since the store's client warns with a backtrace where nobody listens.
  if (!resolved.empty() && is_answered(resolved.front(), place.port, settings.resolve)) {
    const RankStore store = connect(place, address, false, settings.grace);
    Arrival(*store, place, address, settings).tell_size();
  }
  place.check_rank();
  fail("rank {} of {} ranks was refused without a reason", place.rank, place.size);
}

// A rank 0 that was started for itself alone opens no store, and nobody would say so before the time limit.
void say_waiting(const RankPlace& place, const std::vector<std::string>& resolved, const RankSettings& settings) {
  if (place.hosts_store() || resolved.empty()) return;
  if (is_answered(resolved.front(), place.port, settings.resolve)) return;
  notice_once("waiting for rank 0",
              fmt::format("rank {} waits up to {} s for rank 0 at {}:{}: check that it runs there, "
                          "with WORLD_SIZE {} and not 1",
                          place.rank, seconds(settings.start), place.address, place.port, place.size));
}

RankMeeting meet(const RankPlace& place, const RankSettings& settings) {
  const std::vector<std::string> resolved = resolve(place.address, settings.resolve);
  RankMeeting meeting{.address = address_to_reach(place.address, resolved, place.has_other_hosts)};
  say_waiting(place, resolved, settings);
  meeting.store = connect(place, meeting.address, place.hosts_store(), settings.start);
  meeting.watch_store = connect(place, meeting.address, false, settings.silence);
  arrive(*meeting.store, place, meeting.address, settings);
  for (int64_t rank = 0; rank < place.size; ++rank) meeting.names.push_back(meeting.store->get_to_str(name_key(rank)));
  meeting.store_name = fmt::format("the store of the ranks at {}:{}, kept by {}", place.address, place.port,
                                   place.has_agent_store ? "the launcher" : meeting.names[0]);
  return meeting;
}

}  // namespace sgf
