// What the connections of a server share. Only the files that use Boost.Asio include it.
#pragma once

#include "sgf/serving/http/http_server.h"
#include "sgf/serving/http/request_guard.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace sgf {

class Connection;

// Counts that any thread may read.
struct LiveCounts {
  std::atomic<uint64_t> open{0}, accepted{0}, rejected{0}, dropped{0}, bad{0};
  std::array<std::atomic<uint64_t>, 5> responses{};
};

// Everything but the atomic values belongs to the I/O thread.
struct ServerState {
  static constexpr size_t kAppThreads = 4, kBodyThreads = 2;

  ServerState(const HttpServerSettings& settings, HttpApp& its_app, RequestGuard its_guard)
      : limits(settings.limits), log(settings.log), app(its_app), guard(std::move(its_guard)) {}

  const HttpLimits limits;
  const Log log;
  HttpApp& app;
  const RequestGuard guard;

  boost::asio::io_context io{1};
  // Two pools, so that routes which take long hold back no stream.
  boost::asio::thread_pool app_threads{kAppThreads};
  boost::asio::thread_pool body_threads{kBodyThreads};

  std::set<Connection*> connections;
  std::set<Connection*> waiting;  // those whose body has nothing to give
  std::map<std::string, size_t> per_address;
  bool is_stopping = false;
  std::function<void()> all_closed;  // called once the last connection is closed after a stop

  std::atomic<uint64_t> wakes{0};
  std::atomic<bool> is_wake_posted{false};
  std::atomic<size_t> body_bytes{0};  // of the larger bodies being received or handled
  LiveCounts counts;
};

}  // namespace sgf
