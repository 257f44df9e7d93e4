// What clients ask for, read from JSON. Unknown keys and values of a wrong type are refused by name.
#pragma once

#include "sgf/serving/http/http_message.h"
#include "sgf/serving/stream_engine.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct RequestContext {
  std::vector<std::string> models;                                    // names, in the engine's order
  std::function<std::string(const std::string& id)> image_of;         // path of an upload; throws HttpError
  std::function<GenerateOrder(const std::string& id)> order_of;       // of a stream; throws HttpError
  std::function<std::string(const std::string& model)> world_prompt;  // a prompt if none is given; may return nothing
};

NewStream read_new_stream(const HttpRequest& request, bool is_live, const RequestContext& context);
BranchWishes read_branch(const HttpRequest& request);

struct PromptRequest {
  std::string prompt;
  std::optional<PromptSwitch> on_switch;
  std::optional<double> at;
};
PromptRequest read_prompt(const HttpRequest& request);

// {"seconds": 12.5}
double read_position(const HttpRequest& request);

// Throws HttpError if the body has any key.
void expect_no_keys(const HttpRequest& request);

}  // namespace sgf
