// A program with a few routes, and a server for it with short patience.
#pragma once

#include "sgf/serving/http/file_body.h"
#include "sgf/serving/http/http_server.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sgf::testing {

using std::chrono::milliseconds;

// A body that grows while it is sent, shared by all who watch it.
class Growing {
 public:
  void append(const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    content_ += bytes;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    is_complete_ = true;
  }

  Piece from(size_t place, size_t most) {
    const std::lock_guard lock(mutex_);
    if (place < content_.size()) return Piece::of(content_.substr(place, most));
    return is_complete_ ? Piece::end() : Piece::later();
  }

  std::atomic<int> watchers{0}, questions{0};

 private:
  std::mutex mutex_;
  std::string content_;
  bool is_complete_ = false;
};

class Watcher : public BodySource {
 public:
  explicit Watcher(Growing& growing) : growing_(growing) { ++growing_.watchers; }
  ~Watcher() override { --growing_.watchers; }

  Piece next(size_t most) override {
    ++growing_.questions;
    Piece piece = growing_.from(place_, most);
    place_ += piece.bytes.size();
    return piece;
  }

 private:
  Growing& growing_;
  size_t place_ = 0;
};

class Endless : public BodySource {
 public:
  Piece next(size_t most) override { return Piece::of(std::string(most, 'x')); }
};

class Failing : public BodySource {
 public:
  Piece next(size_t) override {
    if (!std::exchange(has_begun_, true)) return Piece::of("begin");
    throw std::runtime_error("the disk is gone");
  }

 private:
  bool has_begun_ = false;
};

// One piece, and an end that it comes to when it may.
class Held : public BodySource {
 public:
  explicit Held(const std::atomic<bool>& may_end) : may_end_(may_end) {}

  Piece next(size_t) override {
    if (!std::exchange(has_begun_, true)) return Piece::of("all");
    while (!may_end_) std::this_thread::sleep_for(milliseconds(2));
    return Piece::end();
  }

 private:
  const std::atomic<bool>& may_end_;
  bool has_begun_ = false;
};

class TestApp : public HttpApp {
 public:
  HttpResponse handle(const HttpRequest& request) override {
    ++handled;
    const std::string route = request.path.empty() ? "" : request.path[0];
    if (route == "echo") return text_response(200, "text/plain", request.body);
    if (route == "json") return json_response(200, json_body(request));
    if (route == "upload") throw HttpError(400, "bad_upload", "this is no PNG file");
    if (route == "name") return text_response(200, "text/plain", request.name() + "?" + request.query_value("q"));
    if (route == "client") return text_response(200, "text/plain", request.client);
    if (route == "big") return text_response(200, "text/plain", std::string(1'000'000, 'b'));
    if (route == "throw") return throw_it(request.query_value("q"));
    if (route == "forged") return forged();
    if (route == "slow") std::this_thread::sleep_for(milliseconds(std::stoi(request.query_value("q"))));
    if (route == "stream") return with_source(std::make_shared<Watcher>(growing));
    if (route == "endless") return with_source(std::make_shared<Endless>());
    if (route == "held") return with_source(std::make_shared<Held>(may_end));
    if (route == "failing") return with_source(std::make_shared<Failing>());
    if (route == "short") return with_source(std::make_shared<Failing>(), 100);
    if (route == "file")
      return file_response(request, {.path = file, .content_type = "video/mp4", .download_name = ""});
    return text_response(200, "text/plain", "hello\n");
  }

  size_t body_limit(const HttpRequest& request, const HttpLimits& limits) override {
    if (request.query.contains("broken")) throw std::runtime_error("broken limit");
    return request.query.contains("large") ? limits.largest_body_bytes : limits.body_bytes;
  }

  Growing growing;
  std::atomic<int> handled{0};
  std::atomic<bool> may_end{false};
  std::filesystem::path file;

 private:
  static HttpResponse throw_it(const std::string& what) {
    if (what == "http") throw HttpError(409, "has_branches", "the stream has branches", "delete them first");
    if (what == "error") fail("seed must be at least 0, got -1");
    if (what == "memory") throw std::bad_alloc();
    throw std::logic_error("an inner secret");
  }

  static HttpResponse forged() {
    HttpResponse response = text_response(200, "text/plain", "x");
    response.headers.emplace_back("X-Name", "a\r\nSet-Cookie: b");
    return response;
  }

  static HttpResponse with_source(std::shared_ptr<BodySource> source, std::optional<uint64_t> bytes = {}) {
    HttpResponse response;
    response.content_type = "application/octet-stream";
    response.source = std::move(source);
    response.source_bytes = bytes;
    return response;
  }
};

inline HttpServerSettings test_settings() {
  HttpServerSettings settings;
  settings.port = 0;
  settings.limits.stop_time = milliseconds(300);
  return settings;
}

// Whether it becomes true before anyone loses patience.
inline bool soon(const std::function<bool()>& holds, milliseconds patience = milliseconds(10'000)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

}  // namespace sgf::testing
