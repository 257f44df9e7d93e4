#include "sgf/serving/serve_app.h"

#include "sgf/assembly/conditioning.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/sha256.h"
#include "sgf/media/png.h"
#include "sgf/serving/http/file_body.h"
#include "sgf/serving/media_body.h"
#include "sgf/serving/metrics_text.h"
#include "sgf/serving/page_assets.h"
#include "sgf/serving/shown_runs.h"
#include "sgf/serving/stream_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kLargestUpload = 16 << 20;

HttpError unknown_route(const HttpRequest& request) {
  return {404, "not_found", fmt::format("there is no {}", request.name()), "GET /openapi.json lists all requests"};
}

std::vector<std::string> segments(const std::string& pattern) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < pattern.size();) {
    const size_t end = std::min(pattern.find('/', begin), pattern.size());
    parts.push_back(pattern.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The value of the placeholder if the path has the pattern's form; empty value without one.
std::optional<std::string> match(const std::string& pattern, const std::vector<std::string>& path) {
  const std::vector<std::string> parts = segments(pattern);
  if (parts.size() != path.size()) return {};
  std::string value;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "{id}")
      value = path[i];
    else if (parts[i] != path[i] && parts[i] != "{n}")
      return {};
  }
  return value;
}

int64_t number_of(const std::string& text, const std::string& name) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw HttpError(400, "bad_request", fmt::format("{} must be an integer of 0 or more, got {:.40}", name, text));
  return value;
}

}  // namespace

ServeApp::ServeApp(const ServeSettings& settings, std::vector<ServedModel> models) : settings_(settings) {
  for (const ServedModel& model : models) context_.models.push_back(model.name);
  const auto state_of = [this](const std::string& id) {
    try {
      return stream_json(engine_->view(id)).dump();
    } catch (const Error&) {  // deleted
      return std::string();
    }
  };
  hub_ = std::make_unique<EventHub>(state_of, [this] {
    if (server_ != nullptr) server_->wake();
  });
  engine_ = std::make_unique<StreamEngine>(settings_.engine, std::move(models),
                                           [this](const std::string& id) { hub_->changed(id); });
  context_.image_of = [this](const std::string& id) { return image_of(id).string(); };
  context_.order_of = [this](const std::string& id) { return engine_->view(id).record.order; };
  context_.world_prompt = [this](const std::string& model) { return world_prompt(model); };
  add_video_routes();
  add_control_routes();
  add_other_routes();
}

ServeApp::~ServeApp() { shut_down(); }

void ServeApp::attach(HttpServer* server) { server_ = server; }

void ServeApp::shut_down() {
  hub_->close();
  engine_->shut_down();
}

HttpResponse ServeApp::created(const std::string& id) const {
  HttpResponse response = json_response(201, stream_json(engine_->view(id)));
  response.headers.emplace_back("Location", "/v1/videos/" + id);
  return response;
}

HttpResponse ServeApp::state(const std::string& id) const { return json_response(200, stream_json(engine_->view(id))); }

HttpResponse ServeApp::list_videos(const HttpRequest& request) const {
  const bool only_live = request.query_value("live") == "1";
  Json data = Json::array();
  for (const StreamView& view : engine_->views())
    if (!only_live || view.record.is_live) data.push_back(stream_json(view));
  return json_response(200, {{"object", "list"}, {"data", data}});
}

HttpResponse ServeApp::list_models() const {
  Json data = Json::array();
  const std::vector<ServedModel>& models = engine_->models();
  for (size_t i = 0; i < models.size(); ++i)
    data.push_back(model_json(models[i], i == 0 && models.size() > 1 ? models[1].name : ""));
  return json_response(200, {{"object", "list"}, {"data", data}});
}

void ServeApp::add_video_routes() {
  const auto video = [this](const HttpRequest&, const std::string& id) { return state(id); };
  const auto create = [this](bool is_live) {
    return [this, is_live](const HttpRequest& request, const std::string&) {
      return created(engine_->create(read_new_stream(request, is_live, context_)));
    };
  };
  const auto list = [this](const HttpRequest& request, const std::string&) { return list_videos(request); };
  routes_.push_back({"POST", "v1/videos", create(false)});
  routes_.push_back({"POST", "v1/streams", create(true)});
  routes_.push_back({"GET", "v1/videos", list});
  routes_.push_back({"GET", "v1/streams", list});
  routes_.push_back({"GET", "v1/videos/{id}", video});
  routes_.push_back({"GET", "v1/streams/{id}", video});
  routes_.push_back({"DELETE", "v1/videos/{id}", [this](const HttpRequest&, const std::string& id) {
                       engine_->remove(id);
                       return json_response(200, {{"id", id}, {"deleted", true}});
                     }});
  routes_.push_back({"GET", "v1/videos/{id}/content",
                     [this](const HttpRequest&, const std::string& id) { return media_download(*engine_, id); }});
  routes_.push_back({"GET", "v1/streams/{id}/media", [this](const HttpRequest& request, const std::string& id) {
                       const std::string from = request.query_value("from");
                       return live_media(*engine_, id, from.empty() ? 0 : number_of(from, "from"));
                     }});
  routes_.push_back({"GET", "v1/streams/{id}/frames/{n}",
                     [this](const HttpRequest& request, const std::string& id) { return frame(request, id); }});
}

void ServeApp::add_control_routes() {
  const auto control = [this](const std::string& name, auto act) {
    routes_.push_back(
        {"POST", "v1/streams/{id}/" + name, [this, act](const HttpRequest& request, const std::string& id) {
           act(request, id);
           return state(id);
         }});
  };
  control("prompt", [this](const HttpRequest& request, const std::string& id) {
    const PromptRequest asked = read_prompt(request);
    engine_->direct(id, asked.prompt, asked.on_switch, asked.at);
  });
  using Act = void (StreamEngine::*)(const std::string&);
  const std::vector<std::pair<std::string, Act>> plain{
      {"pause", &StreamEngine::pause}, {"resume", &StreamEngine::resume}, {"stop", &StreamEngine::stop}};
  for (const auto& [name, act] : plain)
    control(name, [this, act = act](const HttpRequest& request, const std::string& id) {
      expect_no_keys(request);
      (engine_.get()->*act)(id);
    });
  routes_.push_back({"POST", "v1/streams/{id}/branch", [this](const HttpRequest& request, const std::string& id) {
                       return created(engine_->branch(id, read_branch(request)));
                     }});
  routes_.push_back({"POST", "v1/streams/{id}/rewind", [this](const HttpRequest& request, const std::string& id) {
                       const std::string branch = engine_->branch(id, read_branch(request));
                       engine_->stop(id);
                       return created(branch);
                     }});
  routes_.push_back({"POST", "v1/streams/{id}/position", [this](const HttpRequest& request, const std::string& id) {
                       engine_->played(id, read_position(request));
                       return json_response(200, Json::object());
                     }});
}

void ServeApp::add_other_routes() {
  const auto get = [this](const std::string& pattern, auto answer) {
    routes_.push_back(
        {"GET", pattern, [answer](const HttpRequest& request, const std::string& id) { return answer(request, id); }});
  };
  get("", [](const HttpRequest&, const std::string&) { return page_asset("live.html"); });
  get("assets/{id}", [](const HttpRequest&, const std::string& name) { return page_asset(name); });
  get("openapi.json", [](const HttpRequest&, const std::string&) { return page_asset("openapi.json"); });
  get("health", [this](const HttpRequest&, const std::string&) {
    return json_response(200, {{"status", "ok"}, {"version", settings_.version}});
  });
  get("metrics", [this](const HttpRequest&, const std::string&) { return metrics(); });
  get("v1/models", [this](const HttpRequest&, const std::string&) { return list_models(); });
  get("v1/events", [this](const HttpRequest&, const std::string&) { return events(""); });
  get("v1/streams/{id}/events", [this](const HttpRequest&, const std::string& id) { return events(id); });
  get("v1/runs",
      [this](const HttpRequest&, const std::string&) { return json_response(200, runs_json(settings_.runs)); });
  routes_.push_back(
      {"POST", "v1/uploads", [this](const HttpRequest& request, const std::string&) { return upload(request); }});
}

HttpResponse ServeApp::handle(const HttpRequest& request) {
  bool path_exists = false;
  for (const Route& route : routes_) {
    const std::optional<std::string> id = match(route.pattern, request.path);
    if (!id) continue;
    path_exists = true;
    if (route.method == request.method) return route.answer(request, *id);
  }
  if (request.method == "GET" && request.path.size() >= 3 && request.path[0] == "runs")
    return run_file(settings_.runs, request);
  if (path_exists)
    throw HttpError(405, "wrong_method", fmt::format("{} is not possible", request.name()),
                    "GET /openapi.json lists all requests");
  throw unknown_route(request);
}

size_t ServeApp::body_limit(const HttpRequest& request, const HttpLimits& limits) {
  const bool is_upload = request.path == std::vector<std::string>{"v1", "uploads"};
  return is_upload ? kLargestUpload : HttpApp::body_limit(request, limits);
}

HttpResponse ServeApp::frame(const HttpRequest& request, const std::string& id) const {
  if (serves_mp4())
    throw HttpError(404, "no_frames", "this build serves mp4, not PNG files", "GET /v1/streams/{id}/media");
  const std::string& name = request.path.back();
  if (!name.ends_with(".png")) throw unknown_route(request);
  const int64_t number = number_of(name.substr(0, name.size() - 4), "the frame");
  return file_response(
      request, {.path = engine_->file(id).path / fmt::format("frame_{:08}.png", number), .content_type = "image/png"});
}

HttpResponse ServeApp::events(const std::string& id) {
  std::vector<std::string> present;
  if (!id.empty()) {
    present = {engine_->view(id).record.id};
  } else {
    for (const StreamView& view : engine_->views()) present.push_back(view.record.id);
  }
  return event_response(hub_->listen(id, present));
}

fs::path ServeApp::image_of(const std::string& id) const {
  const bool is_name =
      id.starts_with("u-") && id.size() == 18 && id.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
  const fs::path file = settings_.engine.folder / "uploads" / (id + ".png");
  if (!is_name || !fs::exists(file))
    throw HttpError(400, "no_such_image", "image must be the id of an upload", "POST /v1/uploads");
  return fs::absolute(file);
}

// Named by its content, so that a repeated upload takes no further place.
HttpResponse ServeApp::upload(const HttpRequest& request) const {
  const std::string* type = request.header("content-type");
  if (type == nullptr || *type != "image/png")
    throw HttpError(415, "wrong_type", "an upload must be image/png", "convert the image to PNG");
  const std::string id = "u-" + sha256_of(request.body).substr(0, 16);
  const fs::path file = settings_.engine.folder / "uploads" / (id + ".png");
  AtomicFile written(file);
  written.write(request.body);
  written.commit();
  try {
    const RgbImage image = read_png(file);
    return json_response(201, {{"id", id}, {"width", image.width}, {"height", image.height}});
  } catch (...) {
    fs::remove(file);
    throw;
  }
}

HttpResponse ServeApp::metrics() const {
  return text_response(
      200, "text/plain; version=0.0.4; charset=utf-8",
      metrics_text(engine_->totals(), server_ == nullptr ? HttpCounts() : server_->counts(), hub_->listeners()));
}

// A caption of the model's world; nothing for real videos.
std::string ServeApp::world_prompt(const std::string& name) const {
  for (const ServedModel& model : engine_->models()) {
    if (model.name != name || model.example_prompts.empty()) continue;
    std::random_device device;
    return model.example_prompts[device() % model.example_prompts.size()];
  }
  return {};
}

}  // namespace sgf
