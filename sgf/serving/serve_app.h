// The routes of `sgf serve`: from requests to calls of the engine.
#pragma once

#include "sgf/serving/event_hub.h"
#include "sgf/serving/http/http_server.h"
#include "sgf/serving/stream_engine.h"
#include "sgf/serving/stream_request.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sgf {

struct ServeSettings {
  EngineSettings engine;
  std::filesystem::path runs;  // folder of training runs to show; empty: none
  std::string version;
};

// A path with one placeholder at most: "v1/streams/{id}/prompt".
struct Route {
  std::string method, pattern;
  std::function<HttpResponse(const HttpRequest& request, const std::string& id)> answer;
};

class ServeApp : public HttpApp {
 public:
  ServeApp(const ServeSettings& settings, std::vector<ServedModel> models);
  ~ServeApp() override;

  // Called after streams have changed, and for counts in /metrics; set once, before the first request.
  void attach(HttpServer* server);

  HttpResponse handle(const HttpRequest& request) override;
  size_t body_limit(const HttpRequest& request, const HttpLimits& limits) override;

  StreamEngine& engine() { return *engine_; }
  const std::vector<Route>& routes() const { return routes_; }

  // Ends all events and saves the running streams.
  void shut_down();

 private:
  void add_video_routes();
  void add_control_routes();
  void add_other_routes();

  HttpResponse created(const std::string& id) const;
  HttpResponse state(const std::string& id) const;
  HttpResponse list_videos(const HttpRequest& request) const;
  HttpResponse list_models() const;
  HttpResponse frame(const HttpRequest& request, const std::string& id) const;
  HttpResponse events(const std::string& id);
  HttpResponse upload(const HttpRequest& request) const;
  HttpResponse metrics() const;
  std::filesystem::path image_of(const std::string& id) const;
  std::string world_prompt(const std::string& model) const;

  ServeSettings settings_;
  std::unique_ptr<EventHub> hub_;
  std::unique_ptr<StreamEngine> engine_;
  RequestContext context_;
  std::vector<Route> routes_;
  HttpServer* server_ = nullptr;
};

}  // namespace sgf
