// The JSON Schema of configs, which editors read: it knows every key, and takes what the program takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "sgf/config/config.h"
#include "sgf/config/config_tree.h"

namespace sgf {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json schema() { return Json::parse(json_schema()); }

// The schema of "model.dim"; null where it is not in it.
Json property(const Json& root, const std::string& dotted) {
  const size_t dot = dotted.find('.');
  const Json below = root.value("properties", Json::object()).value(dotted.substr(0, dot), Json());
  return dot == std::string::npos || below.is_null() ? below : property(below, dotted.substr(dot + 1));
}

bool takes_scalar(const Json& schema, const ConfigNode& node) {
  if (schema.contains("enum")) {
    const Json& names = schema["enum"];
    return std::find(names.begin(), names.end(), Json(node.text)) != names.end();
  }
  const std::string type = schema.value("type", "");
  const bool is_number = !node.is_quoted && node.text.find_first_not_of("0123456789.eE+-_") == std::string::npos;
  if (type == "integer") return is_number && node.text.find('.') == std::string::npos;
  if (type == "number") return is_number;
  if (type == "boolean") return node.text == "true" || node.text == "false";
  return type == "string";
}

// What the schema refuses in the tree, as paths; the part of JSON Schema that a config's schema uses.
std::vector<std::string> refused(const Json& schema, const ConfigNode& node, const std::string& path = "") {
  if (schema.contains("anyOf")) {
    for (const Json& option : schema["anyOf"])
      if (refused(option, node, path).empty()) return {};
    return {path};
  }
  std::vector<std::string> found;
  const auto add = [&](std::vector<std::string> more) { found.insert(found.end(), more.begin(), more.end()); };
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
      return schema["type"].dump().find("null") != std::string::npos ? found : std::vector{path};
    case ConfigNode::Kind::kScalar:
      return takes_scalar(schema, node) ? found : std::vector{path};
    case ConfigNode::Kind::kSequence:
      if (schema.value("type", Json()) != "array") return {path};
      for (const ConfigNode& item : node.items) add(refused(schema["items"], item, path + "[]"));
      return found;
    case ConfigNode::Kind::kMapping:
      for (const ConfigEntry& entry : node.entries) {
        const Json below = schema.value("properties", Json::object()).value(entry.key, Json());
        const std::string key = join_key(path, entry.key);
        add(below.is_null() ? std::vector{key} : refused(below, entry.value, key));
      }
      return found;
  }
  return found;
}

std::vector<std::string> refused_in(const std::string& yaml) {
  return refused(schema(), parse_yaml(yaml, {.source = "a.yaml", .line = 1, .column = 1}));
}

TEST(JsonSchema, NamesEveryKeyWithItsMeaningAndDefault) {
  const Json root = schema();
  EXPECT_EQ(root["$schema"], "https://json-schema.org/draft/2020-12/schema");
  for (const KeyHelp& key : known_keys()) {
    const Json found = property(root, key.key);
    ASSERT_FALSE(found.is_null()) << key.key;
    EXPECT_EQ(found["description"], key.help);
    EXPECT_TRUE(found.contains("default")) << key.key;
  }
  EXPECT_TRUE(property(root, "model.dmi").is_null());
}

TEST(JsonSchema, ListsAllNamesOfAChoice) {
  const Json root = schema();
  EXPECT_EQ(property(root, "run.device")["enum"], (Json{"auto", "cpu", "cuda"}));
  for (const KeyHelp& key : known_keys()) {
    const bool is_choice = key.type.find('|') != std::string::npos && !key.type.ends_with("null");
    std::string names;
    for (const Json& name : property(root, key.key).value("enum", Json::array()))
      names += (names.empty() ? "" : "|") + name.get<std::string>();
    EXPECT_EQ(names, is_choice ? key.type : "") << key.key;
  }
}

TEST(JsonSchema, TakesEveryPreset) {
  int presets = 0;
  for (const auto& file : fs::directory_iterator(SGF_PRESETS)) {
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    EXPECT_EQ(refused_in(text.str()), std::vector<std::string>{}) << file.path();
    ++presets;
  }
  EXPECT_GE(presets, 5);
  EXPECT_EQ(refused_in(to_yaml(Config{})), std::vector<std::string>{});
}

TEST(JsonSchema, RefusesWhatTheProgramRefuses) {
  EXPECT_EQ(refused_in("model: {dmi: 1}\n"), std::vector<std::string>{"model.dmi"});
  EXPECT_EQ(refused_in("run: {device: gpu}\n"), std::vector<std::string>{"run.device"});
  EXPECT_EQ(refused_in("model: {dim: wide}\n"), std::vector<std::string>{"model.dim"});
  EXPECT_EQ(refused_in("schedule: {denoising_steps: [1000, soon]}\n"),
            std::vector<std::string>{"schedule.denoising_steps[]"});
  EXPECT_EQ(refused_in("base: [tiny, wan-14b]\nmodel:\ncontext: {first_block_frames: null}\n"),
            std::vector<std::string>{});
}

}  // namespace
}  // namespace sgf
