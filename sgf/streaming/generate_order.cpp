#include "sgf/streaming/generate_order.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/sha256.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/text_file.h"
#include "sgf/runs/run_folder.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

namespace sgf {
namespace {

// An order has the lowest version that says all of it: earlier programs refuse what they do not know, instead of making
// another video without a word. Version 2 adds LoRAs; version 3 prompts with a switch of their own, and changes of the
// seed.
constexpr int64_t kOrderVersion = 1, kOrderVersionWithLoras = 2, kOrderVersionDirected = 3;
constexpr int64_t kMostThreads = 1024;

// The build may differ, and the path of the weights. Threads change a video only by rounding, and a continued video
// uses the stored number.
constexpr std::array kFreeOrderKeys{"build", "model", "threads"};

// Compared in their own way; the version follows from the rest.
bool is_compared_apart(const std::string& key) {
  return key == "config" || key == "seed" || key == "seeds" || key == "loras" || key == "order";
}

bool is_free_key(const std::string& key) { return std::ranges::find(kFreeOrderKeys, key) != kFreeOrderKeys.end(); }

// The lines of keys that are younger than version 0.1.0, at their defaults. Orders leave them out: a file that was
// begun by an earlier version is continued under the very note and mark that it has.
constexpr std::array<std::string_view, 1> kYoungLines{"  first_block_steps: []\n"};

std::string config_of_order(const Config& config) {
  std::string yaml = to_yaml(config);
  for (const std::string_view line : kYoungLines)
    if (const size_t at = yaml.find(line); at != std::string::npos) yaml.erase(at, line.size());
  return yaml;
}

nlohmann::json prompts_json(const std::vector<TimedPrompt>& prompts) {
  nlohmann::json list = nlohmann::json::array();
  for (const TimedPrompt& prompt : prompts) {
    list.push_back({{"at", prompt.seconds}, {"prompt", prompt.prompt}});
    if (prompt.on_switch) list.back()["switch"] = enum_name(*prompt.on_switch);
  }
  return list;
}

nlohmann::json seeds_json(const std::vector<SeedChange>& seeds) {
  nlohmann::json list = nlohmann::json::array();
  for (const SeedChange& change : seeds) list.push_back({{"block", change.block}, {"seed", change.seed}});
  return list;
}

int64_t order_version(const GenerateOrder& o) {
  const bool is_directed =
      !o.seeds.empty() || std::ranges::any_of(o.prompts, [](const TimedPrompt& p) { return p.on_switch.has_value(); });
  return is_directed ? kOrderVersionDirected : o.loras.empty() ? kOrderVersion : kOrderVersionWithLoras;
}

nlohmann::json loras_json(const std::vector<OrderLora>& loras) {
  nlohmann::json list = nlohmann::json::array();
  for (const OrderLora& lora : loras)
    list.push_back({{"file", lora.file}, {"scale", lora.scale}, {"identity", lora.identity}});
  return list;
}

// Reads values by key, with an error for each that is missing or of the wrong type.
class OrderReader {
 public:
  OrderReader(const nlohmann::json& json, std::string source) : json_(json), source_(std::move(source)) {
    SGF_CHECK(json_.is_object(), "{}: its order must be a JSON object", source_);
  }

  template <class T>
  void read(const char* key, T& value) const {
    SGF_CHECK(json_.contains(key), "{}: its order lacks {}", source_, key);
    try {
      if constexpr (std::is_same_v<T, int64_t>)
        value = integer_of(json_.at(key));
      else
        value = json_.at(key).get<T>();
    } catch (const nlohmann::json::exception&) {
      fail("{}: {} has the wrong type: {}", source_, key, json_.at(key).dump().substr(0, 60));
    }
  }

 private:
  const nlohmann::json& json_;
  std::string source_;
};

std::vector<OrderLora> loras_from_json(const OrderReader& reader, const std::string& source) {
  std::vector<nlohmann::json> list;
  reader.read("loras", list);
  std::vector<OrderLora> loras;
  for (const nlohmann::json& json : list) {
    const OrderReader entry(json, source);
    OrderLora lora;
    entry.read("file", lora.file);
    entry.read("scale", lora.scale);
    entry.read("identity", lora.identity);
    loras.push_back(std::move(lora));
  }
  return loras;
}

PromptSwitch switch_from_name(const std::string& name, const std::string& source) {
  const std::optional<PromptSwitch> known = enum_from_name<PromptSwitch>(name);
  SGF_CHECK(known.has_value(), "{}: unknown prompt switch {}", source, in_quotes(name));
  return *known;
}

std::vector<TimedPrompt> prompts_from_json(const OrderReader& reader, const std::string& source) {
  std::vector<nlohmann::json> list;
  reader.read("prompts", list);
  std::vector<TimedPrompt> prompts;
  for (const nlohmann::json& json : list) {
    const OrderReader entry(json, source);
    TimedPrompt timed;
    entry.read("at", timed.seconds);
    entry.read("prompt", timed.prompt);
    if (json.contains("switch")) {
      std::string how;
      entry.read("switch", how);
      timed.on_switch = switch_from_name(how, source);
    }
    prompts.push_back(std::move(timed));
  }
  return prompts;
}

std::vector<SeedChange> seeds_from_json(const OrderReader& reader, const std::string& source) {
  std::vector<nlohmann::json> list;
  reader.read("seeds", list);
  std::vector<SeedChange> seeds;
  for (const nlohmann::json& json : list) {
    const OrderReader entry(json, source);
    SeedChange change;
    entry.read("block", change.block);
    entry.read("seed", change.seed);
    SGF_CHECK(change.block > (seeds.empty() ? 0 : seeds.back().block) && change.seed >= 0,
              "{}: changes of the seed must be in order of blocks, from block 1 on, with seeds of 0 or more, got seed "
              "{} at block {}",
              source, change.seed, change.block);
    seeds.push_back(change);
  }
  return seeds;
}

// Prepends the source to errors that do not know it.
template <class Check>
void naming(const std::string& source, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    fail("{}: {}", source, error.what());
  }
}

void check_values(const GenerateOrder& o, const std::string& source) {
  SGF_CHECK(o.enlarge >= 1 && o.enlarge <= 64, "{}: enlarge must be between 1 and 64, got {}", source, o.enlarge);
  SGF_CHECK(o.save_every >= 0, "{}: save_every must be at least 0, got {}", source, o.save_every);
  SGF_CHECK(o.threads >= 0 && o.threads <= kMostThreads, "{}: threads must be between 0 and {}, got {}", source,
            kMostThreads, o.threads);
  naming(source, [&] { validate(o.config); });
  naming(source, [&] { check_timeline(o.prompts); });
}

}  // namespace

nlohmann::json to_json(const GenerateOrder& o) {
  nlohmann::json json{{"order", order_version(o)},
                      {"config", config_of_order(o.config)},
                      {"model", o.model},
                      {"model_identity", o.model_identity},
                      {"wan", o.wan},
                      {"seed", o.config.run.seed},
                      {"prompts", prompts_json(o.prompts)},
                      {"negative", o.negative},
                      {"guidance", o.guidance},
                      {"switch", enum_name(o.on_switch)},
                      {"image", o.image},
                      {"video", o.video},
                      {"build", o.build},
                      {"number", o.number},
                      {"enlarge", o.enlarge},
                      {"crf", o.crf},
                      {"save_every", o.save_every},
                      {"threads", o.threads}};
  if (!o.loras.empty()) json["loras"] = loras_json(o.loras);  // earlier versions have no such key
  if (!o.seeds.empty()) json["seeds"] = seeds_json(o.seeds);
  return json;
}

namespace {

// The first text in the value that is not UTF-8.
std::string text_to_refuse(const nlohmann::json& value) {
  const nlohmann::json parts = value.flatten();
  for (const nlohmann::json& part : parts)
    if (part.is_string() && !is_utf8(part.get<std::string>())) return part.get<std::string>();
  return "";
}

}  // namespace

std::string order_text(const GenerateOrder& order) {
  const nlohmann::json json = to_json(order);
  for (const auto& [key, value] : json.items()) {
    try {
      [[maybe_unused]] const std::string text = value.dump();
    } catch (const nlohmann::json::exception&) {
      fail("{} is not UTF-8: {}; pass text as UTF-8, and rename files whose names are not",
           key == "prompts" ? std::string("prompt") : key, in_quotes(text_to_refuse(value)));
    }
  }
  return json.dump();
}

GenerateOrder order_from_json(const nlohmann::json& json, const std::string& source) {
  const OrderReader reader(json, source);
  int64_t version = 0;
  reader.read("order", version);
  SGF_CHECK(version >= kOrderVersion && version <= kOrderVersionDirected,
            "{}: its order has version {}, but this program supports {} to {}", source, version, kOrderVersion,
            kOrderVersionDirected);
  GenerateOrder o;
  std::string config, how;
  reader.read("config", config);
  reader.read("model", o.model);
  reader.read("model_identity", o.model_identity);
  reader.read("wan", o.wan);
  o.prompts = prompts_from_json(reader, source);
  reader.read("negative", o.negative);
  reader.read("guidance", o.guidance);
  reader.read("switch", how);
  reader.read("image", o.image);
  reader.read("video", o.video);
  reader.read("build", o.build);
  reader.read("number", o.number);
  reader.read("enlarge", o.enlarge);
  reader.read("crf", o.crf);
  reader.read("save_every", o.save_every);
  if (json.contains("threads")) reader.read("threads", o.threads);
  if (json.contains("loras")) o.loras = loras_from_json(reader, source);
  if (json.contains("seeds")) o.seeds = seeds_from_json(reader, source);
  o.config = parse_config(config, source);
  o.on_switch = switch_from_name(how, source);
  check_values(o, source);
  return o;
}

std::optional<GenerateOrder> find_order(std::string_view text, const std::string& source) {
  const std::optional<nlohmann::json> json = try_parse_json(text);
  if (!json || !json->is_object() || !json->contains("order")) return std::nullopt;
  return order_from_json(*json, source);
}

std::string mark_of(const GenerateOrder& order) {
  GenerateOrder marked = order;
  marked.config.run.threads = 0;  // of the run that trained the model
  nlohmann::json json = to_json(marked);
  for (const char* key : kFreeOrderKeys) json.erase(key);
  if (json.contains("loras"))
    for (nlohmann::json& lora : json["loras"]) lora.erase("file");
  return sha256_of(json.dump()).substr(0, 16);
}

namespace {

// Content and scales, without paths.
std::string shown_loras(const GenerateOrder& order) {
  if (order.loras.empty()) return "none";
  std::vector<std::string> shown;
  for (const OrderLora& lora : order.loras)
    shown.push_back(fmt::format("{}... x {:g}", lora.identity.substr(0, 12), lora.scale));
  return fmt::format("{}", fmt::join(shown, ", "));
}

bool same_loras(const GenerateOrder& a, const GenerateOrder& b) {
  return std::ranges::equal(a.loras, b.loras, [](const OrderLora& one, const OrderLora& other) {
    return one.identity == other.identity && one.scale == other.scale;
  });
}

}  // namespace

std::vector<std::string> differences(const GenerateOrder& there, const GenerateOrder& here) {
  std::vector<std::string> lines;
  for (const ConfigDifference& d : compare_configs(to_yaml(there.config), to_yaml(here.config)))
    if (d.key != "run.threads")
      lines.push_back(fmt::format("{}: {} in the file, {} in this command", d.key, d.before, d.now));
  const nlohmann::json before = to_json(there), now = to_json(here);
  for (const auto& [key, value] : before.items())
    if (!is_compared_apart(key) && !is_free_key(key) && value != now.at(key))
      lines.push_back(fmt::format("{}: {} in the file, {} in this command", key, value.dump(), now.at(key).dump()));
  if (there.seeds != here.seeds)
    lines.push_back(fmt::format("seeds: {} in the file, {} in this command", seeds_json(there.seeds).dump(),
                                seeds_json(here.seeds).dump()));
  if (!same_loras(there, here))
    lines.push_back(fmt::format("loras: {} in the file, {} in this command", shown_loras(there), shown_loras(here)));
  return lines;
}

}  // namespace sgf
