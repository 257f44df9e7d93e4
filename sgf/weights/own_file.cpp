#include "sgf/weights/own_file.h"

#include "sgf/core/in_quotes.h"
#include "sgf/files/checkpoint_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace sgf {
namespace {

constexpr std::string_view kNetwork = "dit";

struct OwnKind {
  std::string_view kind;  // as the file's metadata has it
  const char* words;
};

constexpr std::array kOwnKinds{OwnKind{kNetwork, "network of a checkpoint of sgf train"},
                               OwnKind{"optimiser", "optimiser state of a checkpoint of sgf train"},
                               OwnKind{"stream", "state of a video that sgf generate --continue resumes"},
                               OwnKind{"exit record", "exit record of a rollout, for sgf diagnose recovery --replay"},
                               OwnKind{"ode pairs", "shard of sgf pairs, for data.pairs"},
                               OwnKind{"clips", "shard of sgf data encode, for data.clips: the clips of one video"},
                               OwnKind{"clip prompts", "empty and negative prompt of sgf data encode, embedded"},
                               OwnKind{"prompt embedding", "prompt embedding, kept by the text encoder's cache"}};

std::string value_in(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  return found == file.metadata.end() ? "" : found->second;
}

}  // namespace

std::string describe_own_file(const TensorFile& file) {
  const std::string kind = value_in(file, kCheckpointKindKey), prompt = value_in(file, "prompt");
  const auto known = std::ranges::find(kOwnKinds, kind, &OwnKind::kind);
  if (known != kOwnKinds.end())
    return prompt.empty() ? known->words : fmt::format("{}: {}", known->words, in_quotes(prompt));
  if (value_in(file, "kind") == "\"latents\"") return "latents, for sgf vae decode";
  return "";
}

bool may_hold_network(const TensorFile& file) {
  const auto kind = file.metadata.find(kCheckpointKindKey);
  const bool is_known =
      kind != file.metadata.end() && std::ranges::find(kOwnKinds, kind->second, &OwnKind::kind) != kOwnKinds.end();
  return !is_known || kind->second == kNetwork;
}

}  // namespace sgf
