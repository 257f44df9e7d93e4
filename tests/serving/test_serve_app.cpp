// The routes of sgf serve: what they answer, what they refuse, and that their description lists all of them.
#include "sgf/core/error.h"
#include "sgf/files/strict_json.h"
#include "sgf/media/png.h"
#include "sgf/serving/serve_app.h"
#include "tests/core/temporary_folder.h"
#include "tests/streaming/tiny_video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <thread>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::string kRed = "a slow red disc and a slow green square on a grey field";

struct TestedApp {
  TestedApp() {
    std::vector<ServedModel> models;
    models.push_back({.name = "tiny", .defaults = video.order, .parts = video.parts, .example_prompts = {kRed}});
    models.back().defaults.prompts.clear();
    models.back().defaults.threads = 1;
    app = std::make_unique<ServeApp>(
        ServeSettings{.engine = {.folder = folder / "sessions"}, .runs = folder / "runs", .version = "test"},
        std::move(models));
  }

  HttpResponse ask(const std::string& method, std::vector<std::string> path, const std::string& body = "",
                   const std::string& type = "application/json", std::map<std::string, std::string> query = {}) {
    return app->handle({.method = method,
                        .path = std::move(path),
                        .query = std::move(query),
                        .headers = {{"content-type", type}},
                        .body = body});
  }
  Json json(const std::string& method, std::vector<std::string> path, const std::string& body = "") {
    return parse_strict_json(ask(method, std::move(path), body).body, "answer");
  }
  // "400 bad_request: the message", or the status of a success.
  std::string outcome(const std::string& method, std::vector<std::string> path, const std::string& body = "",
                      const std::string& type = "application/json") {
    try {
      return std::to_string(ask(method, std::move(path), body, type).status);
    } catch (const HttpError& error) {
      return fmt::format("{} {}: {}", error.status(), error.code(), error.what());
    } catch (const Error& error) {  // the server answers 400
      return fmt::format("400 {}", error.what());
    }
  }
  Json wait(const std::string& id, const std::string& status) {
    for (int i = 0; i < 3000; ++i) {
      Json state = json("GET", {"v1", "videos", id});
      if (state.at("status") == status) return state;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("never " + status);
  }

  const TinyVideo video;
  const testing::TemporaryFolder folder;
  std::unique_ptr<ServeApp> app;
};

TEST(ServeApp, ItsDescriptionListsEveryRouteAndNoOther) {
  TestedApp t;
  const Json paths = t.json("GET", {"openapi.json"}).at("paths");
  std::set<std::string> described, there{"GET /runs/{name}/{file}"};
  for (const auto& [path, methods] : paths.items())
    for (const auto& [method, operation] : methods.items()) {
      std::string upper = method;
      std::ranges::transform(upper, upper.begin(), ::toupper);
      described.insert(upper + " " + path);
    }
  for (const Route& route : t.app->routes()) there.insert(route.method + " /" + route.pattern);
  EXPECT_EQ(described, there);
}

TEST(ServeApp, AVideoIsAskedForMadeListedAndDeleted) {
  if (!serves_mp4()) GTEST_SKIP() << "no FFmpeg here";
  TestedApp t;
  const HttpResponse created =
      t.ask("POST", {"v1", "videos"}, R"({"prompt": ")" + kRed + R"(", "seconds": 0.5, "seed": 4})");
  EXPECT_EQ(created.status, 201);
  const Json video = parse_strict_json(created.body, "answer");
  EXPECT_EQ(video.at("seed"), 4);
  EXPECT_EQ(video.at("live"), false);
  const std::string id = video.at("id").get<std::string>();
  const Json done = t.wait(id, "completed");
  EXPECT_GE(done.at("seconds").get<double>(), 0.5);
  EXPECT_EQ(done.at("progress"), 1.0);
  EXPECT_THAT(done.at("mime").get<std::string>(), HasSubstr("codecs=\"avc1."));
  EXPECT_EQ(t.ask("GET", {"v1", "videos", id, "content"}).status, 200);
  EXPECT_EQ(t.json("GET", {"v1", "videos"}).at("data").size(), 1u);
  EXPECT_EQ(t.json("DELETE", {"v1", "videos", id}).at("deleted"), true);
  EXPECT_EQ(t.json("GET", {"v1", "videos"}).at("data").size(), 0u);
  EXPECT_THAT(t.outcome("GET", {"v1", "videos", id}), HasSubstr("404 not_found"));
}

TEST(ServeApp, RefusesWhatIsWrongAndNamesIt) {
  TestedApp t;
  const auto video = [&](const std::string& body) { return t.outcome("POST", {"v1", "videos"}, body); };
  EXPECT_THAT(video(R"({"promt": "x"})"), HasSubstr("unknown key 'promt'"));
  EXPECT_THAT(video(R"({"prompt": 3})"), HasSubstr("prompt must be a string, got 3"));
  EXPECT_THAT(video(R"({"prompt": "  "})"), HasSubstr("prompt must have words"));
  EXPECT_THAT(video(R"({"seed": -1})"), HasSubstr("seed must be an integer of 0 or more, got -1"));
  EXPECT_THAT(video(R"({"seed": 1.5})"), HasSubstr("seed must be an integer"));
  EXPECT_THAT(video(R"({"seed": 18446744073709551615})"), HasSubstr("seed must be an integer"));
  EXPECT_THAT(video(R"({"seconds": -3})"), HasSubstr("400"));
  EXPECT_THAT(video(R"({"seconds": 1e300})"), HasSubstr("400"));
  EXPECT_THAT(video(R"({"size": "7x"})"), HasSubstr("size must be WIDTHxHEIGHT"));
  EXPECT_THAT(video(R"({"size": "99999999999x2"})"), HasSubstr("400"));
  EXPECT_THAT(video(R"({"switch": "jump"})"), HasSubstr("keep, recache or new-sink"));
  EXPECT_THAT(video(R"({"model": "other"})"), HasSubstr("unknown model 'other'"));
  EXPECT_THAT(video(R"({"image": "../../etc/passwd"})"), HasSubstr("no_such_image"));
  EXPECT_THAT(video(R"({"order_of": "s-0042"})"), HasSubstr("404"));
  EXPECT_THAT(video(R"({"prompt": "a b", "timeline": [{"prompt": "c"}]})"), HasSubstr("exclude"));
  EXPECT_THAT(video("[1]"), HasSubstr("400"));
  EXPECT_THAT(video("{"), HasSubstr("400"));
  EXPECT_THAT(t.outcome("POST", {"v1", "videos", "s-0001"}), HasSubstr("405 wrong_method"));
  EXPECT_THAT(t.outcome("GET", {"v1", "nothing"}), HasSubstr("404 not_found"));
  EXPECT_THAT(t.outcome("GET", {"assets", "live.cpp"}), HasSubstr("404"));
  EXPECT_EQ(t.outcome("GET", {"assets", "live.js"}), "200") << "the control";
  EXPECT_EQ(t.json("GET", {"v1", "videos"}).at("data").size(), 0u) << "nothing was made";
}

TEST(ServeApp, AnImageIsUploadedOnceAndAVideoStartsFromIt) {
  if (!serves_mp4()) GTEST_SKIP() << "no FFmpeg here";
  TestedApp t;
  const PictureSize size = picture_size(t.video.order.config);
  RgbImage image{size.height, size.width, {}};
  image.pixels.assign(static_cast<size_t>(3 * size.height * size.width), 200);
  const std::string png = encode_png(image);
  const Json first = parse_strict_json(t.ask("POST", {"v1", "uploads"}, png, "image/png").body, "answer");
  const Json again = parse_strict_json(t.ask("POST", {"v1", "uploads"}, png, "image/png").body, "answer");
  EXPECT_EQ(first, again);
  const std::string id = first.at("id").get<std::string>();
  const Json video = t.json("POST", {"v1", "videos"}, R"({"seconds": 0.5, "image": ")" + id + "\"}");
  t.wait(video.at("id").get<std::string>(), "completed");
  EXPECT_THAT(t.outcome("POST", {"v1", "uploads"}, "no image", "image/png"), HasSubstr("400"));
  EXPECT_THAT(t.outcome("POST", {"v1", "uploads"}, png, "text/plain"), HasSubstr("415"));
  const auto entries = fs::directory_iterator(t.folder / "sessions" / "uploads");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "what was no image is gone";
}

TEST(ServeApp, ShowsReportsOfRunsAndNothingElse) {
  TestedApp t;
  fs::create_directories(t.folder / "runs" / "first" / "samples");
  const auto write = [&](const fs::path& path, const std::string& text) { std::ofstream(path) << text; };
  write(t.folder / "runs/first/report.html", "<p>report</p>");
  write(t.folder / "runs/first/metrics.jsonl", "{\"step\": 7}\n{\"step\": 9}\n{\"st");
  write(t.folder / "runs/first/weights.safetensors", "secret");
  write(t.folder / "secret.html", "secret");
  fs::create_symlink(t.folder / "secret.html", t.folder / "runs/first/link.html");
  const Json runs = t.json("GET", {"v1", "runs"}).at("data");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].at("name"), "first");
  EXPECT_EQ(runs[0].at("step"), 9) << "of the last whole line";
  EXPECT_EQ(t.outcome("GET", {"runs", "first", "report.html"}), "200");
  EXPECT_THAT(t.outcome("GET", {"runs", "first", "weights.safetensors"}), HasSubstr("404"));
  EXPECT_THAT(t.outcome("GET", {"runs", "first", "link.html"}), HasSubstr("404"));
  EXPECT_THAT(t.outcome("GET", {"runs", "..", "secret.html"}), HasSubstr("404"));
}

}  // namespace
}  // namespace sgf
