#include "sgf/serving/stream_request.h"

#include "sgf/core/in_quotes.h"
#include "sgf/core/nearest_name.h"
#include "sgf/files/json_integer.h"
#include "sgf/text/prompt_cleaning.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace sgf {
namespace {

constexpr size_t kLongestPrompt = 8000;  // bytes
constexpr size_t kMostPrompts = 1000;

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) {
  throw HttpError(400, "bad_request", message, hint);
}

// The keys of a JSON object, each read once; `done` refuses those that nobody read.
class Fields {
 public:
  Fields(nlohmann::json json, std::string where) : json_(std::move(json)), where_(std::move(where)) {
    if (!json_.is_object()) refuse(fmt::format("{} must be a JSON object", where_));
  }

  bool has(const std::string& key) {
    known_.insert(key);
    return json_.contains(key) && !json_.at(key).is_null();
  }

  std::optional<std::string> text(const std::string& key) {
    return get<std::string>(key, "a string", [](const nlohmann::json& v) { return v.is_string(); });
  }
  std::optional<double> number(const std::string& key) {
    return get<double>(key, "a number", [](const nlohmann::json& v) { return v.is_number(); });
  }
  std::optional<bool> flag(const std::string& key) {
    return get<bool>(key, "true or false", [](const nlohmann::json& v) { return v.is_boolean(); });
  }
  std::optional<int64_t> integer(const std::string& key, int64_t least) {
    if (!has(key)) return {};
    const nlohmann::json& value = json_.at(key);
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t{INT64_MAX}) &&
                      integer_of(value) >= least;
    if (!fits) refuse(fmt::format("{} must be an integer of {} or more, got {}", key, least, shown(value)));
    return integer_of(value);
  }
  std::optional<PromptSwitch> prompt_switch(const std::string& key) {
    const std::optional<std::string> name = text(key);
    if (!name) return {};
    const std::optional<PromptSwitch> known = enum_from_name<PromptSwitch>(*name);
    if (!known) refuse(fmt::format("{} must be keep, recache or new-sink, got {}", key, in_quotes(*name)));
    return known;
  }
  std::string prompt(const std::string& key) {
    const std::string prompt = text(key).value_or("");
    if (!has_words(prompt)) refuse(fmt::format("{} must have words", key));
    if (prompt.size() > kLongestPrompt)
      refuse(fmt::format("{} must be at most {} bytes, got {}", key, kLongestPrompt, prompt.size()));
    return prompt;
  }
  std::vector<nlohmann::json> list(const std::string& key) {
    return get<std::vector<nlohmann::json>>(key, "a list", [](const nlohmann::json& v) { return v.is_array(); })
        .value_or(std::vector<nlohmann::json>());
  }

  void done() const {
    for (const auto& [key, value] : json_.items())
      if (!known_.contains(key)) {
        const std::vector<std::string> names(known_.begin(), known_.end());
        refuse(fmt::format("{} has the unknown key {}", where_, in_quotes(key)),
               names.empty() ? "send {}" : fmt::format("known keys: {}", fmt::join(names, ", ")));
      }
  }

 private:
  static std::string shown(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60);
  }

  template <class T, class Is>
  std::optional<T> get(const std::string& key, const char* what, Is is) {
    if (!has(key)) return {};
    if (!is(json_.at(key))) refuse(fmt::format("{} must be {}, got {}", key, what, shown(json_.at(key))));
    return json_.at(key).get<T>();
  }

  nlohmann::json json_;
  std::string where_;
  std::set<std::string> known_;
};

std::vector<TimedPrompt> read_timeline(Fields& fields) {
  std::vector<TimedPrompt> prompts;
  for (nlohmann::json& json : fields.list("timeline")) {
    Fields entry(std::move(json), "an entry of the timeline");
    TimedPrompt prompt{.seconds = entry.number("at").value_or(0), .prompt = entry.prompt("prompt")};
    prompt.on_switch = entry.prompt_switch("switch");
    entry.done();
    if (prompts.size() == kMostPrompts) refuse(fmt::format("a timeline has at most {} prompts", kMostPrompts));
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

PictureSize read_size(const std::string& text) {
  const std::optional<PictureSize> size = parse_picture_size(text);
  if (!size) refuse(fmt::format("size must be WIDTHxHEIGHT in pixels, for example 832x480, got {}", in_quotes(text)));
  return *size;
}

std::vector<TimedPrompt> read_prompts(Fields& fields, const std::string& model, const RequestContext& context) {
  std::vector<TimedPrompt> prompts = read_timeline(fields);
  const bool has_prompt = fields.has("prompt");
  if (has_prompt && !prompts.empty()) refuse("prompt and timeline exclude each other");
  if (has_prompt) return {{0, fields.prompt("prompt")}};
  if (!prompts.empty()) {
    prompts.front().on_switch.reset();  // there is nothing before it
    return prompts;
  }
  const std::string drawn = context.world_prompt ? context.world_prompt(model) : "";
  if (drawn.empty()) refuse("a prompt is missing", R"(send {"prompt": "…"})");
  return {{0, drawn}};
}

size_t read_model(Fields& fields, const RequestContext& context) {
  const std::optional<std::string> name = fields.text("model");
  if (!name) return 0;
  const auto found = std::ranges::find(context.models, *name);
  if (found == context.models.end())
    refuse(fmt::format("unknown model {}", in_quotes(*name)), "GET /v1/models lists all");
  return static_cast<size_t>(found - context.models.begin());
}

}  // namespace

NewStream read_new_stream(const HttpRequest& request, bool is_live, const RequestContext& context) {
  Fields fields(json_body(request), "the request");
  NewStream stream{.model = read_model(fields, context), .is_live = is_live};
  stream.seconds = fields.number("seconds");
  if (!is_live && !stream.seconds) stream.seconds = 5;
  StreamWishes& w = stream.wishes;
  w.seed = fields.integer("seed", 0);
  if (const std::optional<std::string> size = fields.text("size")) w.size = read_size(*size);
  w.steps = fields.integer("steps", 1);
  w.guidance = fields.number("guidance");
  w.on_switch = fields.prompt_switch("switch");
  w.negative = fields.text("negative").value_or("");
  if (const std::optional<std::string> image = fields.text("image")) w.image = context.image_of(*image);
  if (is_live) {
    stream.ahead = fields.integer("ahead", 0).value_or(2);
    stream.beside = fields.flag("beside").value_or(false);
  }
  const std::optional<std::string> order_of = fields.text("order_of");
  if (order_of) {
    if (fields.has("prompt") || fields.has("timeline")) refuse("order_of and prompts exclude each other");
    stream.order = context.order_of(*order_of);
  } else {
    w.prompts = read_prompts(fields, context.models.at(stream.model), context);
  }
  fields.done();
  return stream;
}

BranchWishes read_branch(const HttpRequest& request) {
  Fields fields(json_body(request), "the request");
  BranchWishes wishes;
  const std::optional<double> at = fields.number("at");
  if (!at) refuse("at is missing", R"(send {"at": SECONDS})");
  wishes.at = *at;
  if (fields.has("prompt")) wishes.prompt = fields.prompt("prompt");
  wishes.on_switch = fields.prompt_switch("switch");
  wishes.seed = fields.integer("seed", 0);
  wishes.seconds = fields.number("seconds");
  fields.done();
  return wishes;
}

PromptRequest read_prompt(const HttpRequest& request) {
  Fields fields(json_body(request), "the request");
  PromptRequest asked{.prompt = fields.prompt("prompt")};
  asked.on_switch = fields.prompt_switch("switch");
  asked.at = fields.number("at");
  fields.done();
  return asked;
}

double read_position(const HttpRequest& request) {
  Fields fields(json_body(request), "the request");
  const std::optional<double> seconds = fields.number("seconds");
  if (!seconds) refuse("seconds is missing");
  fields.done();
  return *seconds;
}

void expect_no_keys(const HttpRequest& request) { Fields(json_body(request), "the request").done(); }

}  // namespace sgf
