// `sgf serve`: a page that streams videos while they are directed, and an HTTP interface for programs.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/say.h"
#include "apps/threads.h"
#include "apps/version.h"
#include "sgf/assembly/conditioning.h"
#include "sgf/config/network_work.h"
#include "sgf/core/cpu_threads.h"
#include "sgf/core/gibibytes.h"
#include "sgf/core/stop_signal.h"
#include "sgf/files/file_lock.h"
#include "sgf/media/video_writer.h"
#include "sgf/serving/serve_app.h"
#include "sgf/streaming/choose_model.h"
#include "sgf/streaming/video_orders.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kExamplePrompts = 6;
constexpr auto kLook = std::chrono::milliseconds(100);  // between two looks at the signals

struct ServeArgs {
  ModelArgs model;
  std::string beside;
  int64_t threads = 0;
  double guidance = 1;
  int64_t crf = 16;

  std::string host = "127.0.0.1", token, folder = "sgf-sessions", runs;
  std::vector<std::string> names;
  int64_t port = 8080;

  int64_t loaded = 4, most = 64, idle = 300;
  double memory = 1, disk = 50;  // GiB
  std::optional<int64_t> save_every;
  bool plan = false, json = false, quiet = false;
};

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

std::string random_token() {
  constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";  // 32, none that looks like another
  std::random_device device;
  std::string token;
  for (int i = 0; i < 26; ++i) token += kLetters[device() % kLetters.size()];
  return token;
}

// The last part of a path, or a preset's name.
std::string model_name(const std::string& model) {
  const fs::path path = fs::path(model).lexically_normal();
  const fs::path name = path.filename().empty() ? path.parent_path().filename() : path.filename();
  return name.string();
}

ServedModel served_model(const ServeArgs& args, const ModelArgs& chosen) {
  VideoWishes wishes{
      .wan = chosen.wan, .loras = chosen.loras, .guidance = args.guidance, .crf = args.crf, .build = version_text()};
  VideoPlan plan = plan_video(wishes, choose_model(chosen));
  ServedModel model{.name = model_name(chosen.model), .defaults = std::move(plan.order)};
  GenerateOrder& order = model.defaults;
  order.threads =
      threads_for_work(threads_asked(args.threads, order.config, chosen.overrides), work_of_block(order.config));
  if (!order.config.data.world.empty()) model.example_prompts = world_prompts(order.config, 0, kExamplePrompts);
  return model;
}

std::vector<ServedModel> served_models(const ServeArgs& args) {
  std::vector<ServedModel> models;
  models.push_back(served_model(args, args.model));
  if (args.beside.empty()) return models;
  ModelArgs second = args.model;
  second.model = args.beside;
  second.loras.clear();
  models.push_back(served_model(args, second));
  if (models[0].name == models[1].name) models[1].name += "-beside";
  models[1].defaults.threads = models[0].defaults.threads;
  return models;
}

EngineSettings engine_settings(const ServeArgs& args, const ServedModel& model) {
  EngineSettings settings{.folder = args.folder,
                          .loaded_streams = args.loaded,
                          .most_streams = args.most,
                          .snapshot_bytes = static_cast<int64_t>(args.memory * 1024 * 1024 * 1024),
                          .disk_bytes = static_cast<int64_t>(args.disk * 1024 * 1024 * 1024),
                          .save_every = args.save_every.value_or(model.defaults.save_every),
                          .idle = std::chrono::seconds(args.idle),
                          .log = [](const std::string& line) { warn("{}", line); }};
  // Copying a large state from a GPU takes as long as some blocks: then states are a minute apart.
  const bool is_small = memory_of_stream(model).state_bytes < (int64_t{64} << 20);
  settings.snapshot_every = is_small ? 1 : model.defaults.save_every;
  return settings;
}

nlohmann::json plan_json(const ServeArgs& args, const std::vector<ServedModel>& models) {
  nlohmann::json list = nlohmann::json::array();
  for (const ServedModel& model : models) {
    const StreamMemory memory = memory_of_stream(model);
    list.push_back({{"model", model.name},
                    {"weights", model.defaults.model},
                    {"device", enum_name(model.defaults.config.run.device)},
                    {"stream_gib", gib_of(memory.device_bytes)},
                    {"state_gib", gib_of(memory.state_bytes)},
                    {"threads", model.defaults.threads}});
  }
  return {{"models", list},
          {"loaded_streams", args.loaded},
          {"streams_gib", static_cast<double>(args.loaded) * list[0]["stream_gib"].get<double>()},
          {"states_gib", args.memory},
          {"disk_gib", args.disk},
          {"folder", fs::absolute(args.folder).string()}};
}

void print_plan(const ServeArgs& args, const std::vector<ServedModel>& models) {
  const nlohmann::json plan = plan_json(args, models);
  if (args.json) return say_json(plan);
  for (const nlohmann::json& model : plan["models"])
    say("{}: {} on {}; {:.2f} GiB per stream on the device, {:.2f} GiB per saved state",
        model["model"].get<std::string>(), model["weights"].get<std::string>(), model["device"].get<std::string>(),
        model["stream_gib"].get<double>(), model["state_gib"].get<double>());
  say("{} streams at a time: {:.2f} GiB besides the network; states in memory: at most {:.2f} GiB on the host",
      args.loaded, plan["streams_gib"].get<double>(), args.memory);
  say("videos and states: at most {:.2f} GiB in {}", args.disk, plan["folder"].get<std::string>());
}

std::string link_of(const ServeArgs& args, int64_t port) {
  const std::string shown = args.host == "0.0.0.0" || args.host == "::" ? "HOST" : args.host;
  const bool is_ipv6 = shown.find(':') != std::string::npos;
  const std::string link = fmt::format("http://{}:{}/", is_ipv6 ? "[" + shown + "]" : shown, port);
  return args.token.empty() ? link : link + "?token=" + args.token;
}

void serve(const ServeArgs& args, std::vector<ServedModel> models) {
  ServeSettings settings{.engine = engine_settings(args, models.front()), .runs = args.runs, .version = version_text()};
  use_threads(models.front().defaults.threads);
  for (ServedModel& model : models) {
    if (!args.quiet) remark("loading {}", model.name);
    model.parts = build_parts(model.defaults, [](const std::string& line) { warn("{}", line); });
  }
  fs::create_directories(args.folder);
  const std::optional<FileLock> lock = FileLock::try_take(fs::path(args.folder) / ".lock");
  SGF_CHECK(lock.has_value(), "{} is used by another server; choose another folder with --folder", args.folder);
  const StopSignal stop;
  ServeApp app(settings, std::move(models));
  HttpServer server({.host = args.host,
                     .port = args.port,
                     .token = args.token,
                     .names = args.names,
                     .log = [](const std::string& line) { warn("{}", line); }},
                    app);
  app.attach(&server);
  if (args.json)
    say_json({{"url", link_of(args, server.port())}, {"port", server.port()}});
  else
    say("serving {} at {}", app.engine().models().front().name, link_of(args, server.port()));
  std::fflush(stdout);
  while (stop.received() == 0) std::this_thread::sleep_for(kLook);
  if (!args.quiet) remark("saving the running streams");
  app.shut_down();
  server.stop();
}

void run_serve(ServeArgs args) {
  if (args.model.model.empty()) args.model.model = args.model.wan.empty() ? "world-small" : "";
  if (args.model.model.empty()) misused("--wan needs the weights of a student; pass --model FILE");
  if (!is_loopback(args.host) && args.token.empty()) args.token = random_token();
  const std::vector<ServedModel> checked = served_models(args);
  if (args.plan) return print_plan(args, checked);
  SGF_CHECK(can_serve(), "this build has no HTTP server; install libboost-dev and build sgf again");
  serve(args, served_models(args));
}

void add_network_options(CLI::App& command, ServeArgs& args) {
  CLI::Option* model =
      command
          .add_option("--model", args.model.model,
                      "preset with bundled weights, bundled model, run folder or weight file (default: world-small)")
          ->type_name("MODEL");
  suggest(*model, {"world-small"});
  command.add_option("--beside", args.beside, "second model of the same size, to stream beside the first one")
      ->type_name("MODEL");
  command.add_option("--wan", args.model.wan, "Wan folder for the text encoder and VAE")->type_name("DIR");
  add_loras(command, args.model.loras);
  suggest_presets(*command
                       .add_option("--config", args.model.config,
                                   "YAML file or preset with window, schedule and size (default: as for sgf generate)")
                       ->type_name("CONFIG"));
  add_overrides(command, args.model.overrides, "context.sink_frames=0");
  command.add_option("--guidance", args.guidance, "guidance scale of new streams, 0 or more; 1 = off")
      ->capture_default_str()
      ->check(number_from_zero());
  command.add_option("--crf", args.crf, "constant rate factor of the video; 0 = best quality, 51 = smallest files")
      ->capture_default_str()
      ->check(CLI::Range(0, 51));
  add_device(command, args.model.device);
  add_dtype(command, args.model.dtype);
  add_threads(command, args.threads);
}

void add_address(CLI::App& command, ServeArgs& args) {
  command
      .add_option("--host", args.host,
                  "address to listen on; other addresses than this machine's own need a token, which is made and "
                  "printed")
      ->capture_default_str();
  command.add_option("--port", args.port, "port to listen on; 0 = any free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  command.add_option("--token", args.token, "secret that every request must carry")->type_name("TEXT");
  command
      .add_option("--name", args.names,
                  "further host name under which browsers reach the server, for example of a proxy; repeatable")
      ->type_name("HOST")
      ->allow_extra_args(false);
}

void add_limits(CLI::App& command, ServeArgs& args) {
  command.add_option("--folder", args.folder, "folder for videos and states of all streams")
      ->capture_default_str()
      ->type_name("DIR");
  command.add_option("--runs", args.runs, "folder of training runs to show")->type_name("DIR");
  command.add_option("--streams", args.loaded, "streams that are made at a time, in turns; others wait")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_option("--most-streams", args.most, "unfinished streams, beyond which new ones are refused")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command.add_option("--memory", args.memory, "host memory for states of streams in GiB, for exact rewinding")
      ->capture_default_str()
      ->check(number_from_zero());
  command.add_option("--disk", args.disk, "size of all videos and states in GiB, beyond which nothing is made")
      ->capture_default_str()
      ->check(positive_number());
  command
      .add_option("--save-every", args.save_every, "blocks between two states on disk (default: one minute of video)")
      ->check(CLI::Range(1, 1000000));
  command.add_option("--idle", args.idle, "seconds after which a live stream that nobody watches is stopped")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  command.add_flag("--plan", args.plan, "print the memory that streams need, then exit");
  command.add_flag("--json", args.json, "the address, or with --plan the plan, as one JSON object");
  command.add_flag("--quiet", args.quiet, "no progress messages");
}

}  // namespace

void add_serve(CLI::App& app) {
  auto args = std::make_shared<ServeArgs>();
  CLI::App* command = app.add_subcommand("serve", "Serve a page that streams videos while you direct them");
  command->footer(
      "Examples:\n"
      "  sgf serve\n"
      "  sgf serve --model models/world-small/sgf --beside models/world-small/sf\n"
      "  sgf serve --model student.pt --wan Wan2.1-T2V-1.3B --port 8000\n"
      "  sgf serve --plan\n\n"
      "Open the printed address in a browser. docs/serving.md describes the HTTP interface. SIGINT or SIGTERM saves "
      "the "
      "running streams and stops.");
  add_address(*command, *args);
  name_group(*command, "Address");
  add_limits(*command, *args);
  name_group(*command, "Streams");
  add_network_options(*command, *args);
  name_group(*command, "Model");
  command->callback([args] { run_serve(*args); });
}

}  // namespace sgf
