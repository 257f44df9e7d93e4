// Finding, reading and merging of config files; see the header for the rules.
#include "sgf/config/config_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/nearest_name.h"
#include "sgf/core/utf8.h"

namespace fs = std::filesystem;

namespace sgf {
namespace {

constexpr size_t kMostBytes = 1 << 20;  // the largest preset has 2 KiB; this is a checkpoint given by mistake
constexpr size_t kMostFiles = 100;      // a base that is reached by several paths is read once per path

// Not extension(): wan-1.3b has one.
bool names_yaml(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

fs::path with_yaml(fs::path path) { return names_yaml(path) ? path : path += ".yaml"; }

bool is_preset_name(const fs::path& path) {
  return path.native().find('/') == std::string::npos && !names_yaml(path) && !path.empty();
}

std::vector<std::string> preset_names(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code ignored;  // a preset folder may be absent
    for (const auto& file : fs::directory_iterator(folder, ignored)) {
      if (names_yaml(file.path())) names.push_back(file.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// `asked` is the subject: "my.yaml:1: base 'tiy'" or "preset 'tiy'".
fs::path first_existing(const std::vector<fs::path>& places, const std::string& asked, const std::string& name,
                        const std::vector<fs::path>& preset_folders) {
  for (const fs::path& place : places) {
    std::error_code ignored;  // what cannot be queried counts as absent
    if (fs::exists(place, ignored)) return place;
  }
  std::vector<std::string> looked;
  for (const fs::path& place : places) looked.push_back(place.string());
  const fs::path bare = names_yaml(name) ? fs::path(name).stem() : fs::path(name);
  fail("{} was not found, looked for {}{}", asked, fmt::join(looked, ", "),
       hint_of_names(bare.string(), preset_names(preset_folders)));
}

void refuse_other_than_file(const fs::path& path) {
  std::error_code ignored;  // what cannot be queried is refused when it is opened
  SGF_CHECK(!fs::is_directory(path, ignored), "{} is a folder, expected a YAML file", path.string());
  SGF_CHECK(!fs::is_fifo(path, ignored), "{} is a pipe, expected a YAML file; save it to a file first", path.string());
}

std::string read_text(const fs::path& file) {
  refuse_other_than_file(file);
  std::ifstream stream(file, std::ios::binary);
  SGF_CHECK(stream.good(), "cannot open {}: {}", file.string(), std::strerror(errno));
  std::string text(kMostBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  SGF_CHECK(!stream.bad(), "cannot read {}", file.string());
  text.resize(static_cast<size_t>(stream.gcount()));
  SGF_CHECK(text.size() <= kMostBytes,
            "{} is larger than {} bytes, the limit for a config; check that it is a YAML file", file.string(),
            kMostBytes);
  const std::string_view encoding = foreign_encoding(text);
  SGF_CHECK(encoding.empty(), "{0}: is {1} text, expected UTF-8 (YAML); convert it: iconv -f {1} -t UTF-8 OLD > NEW",
            file.string(), encoding);
  return text;
}

struct BaseName {
  std::string name;
  Origin origin;
};

BaseName base_name(const ConfigNode& node) {
  const bool is_name = node.kind == ConfigNode::Kind::kScalar && !node.text.empty();
  SGF_CHECK(is_name, "{}: base must be a name or a list of names, got {}", node.origin.where(), describe_value(node));
  return {node.text, node.origin};
}

// Removes `base` from the tree: it names files and is not a setting.
std::vector<BaseName> take_bases(ConfigNode& tree) {
  std::vector<BaseName> bases;
  const ConfigNode* node = tree.find("base");
  if (node == nullptr) return bases;
  if (node->kind == ConfigNode::Kind::kSequence) {
    for (const ConfigNode& item : node->items) bases.push_back(base_name(item));
  } else {
    bases.push_back(base_name(*node));
  }
  std::erase_if(tree.entries, [](const ConfigEntry& entry) { return entry.key == "base"; });
  return bases;
}

class TreeLoader {
 public:
  explicit TreeLoader(const std::vector<fs::path>& preset_folders) : preset_folders_(preset_folders) {}

  ConfigNode load(const fs::path& file) {
    enter(file);
    ConfigNode own = parse_yaml(read_text(file), {.source = file.string(), .line = 1, .column = 1});
    refuse_other_than_mapping(own);
    ConfigNode merged;
    merged.kind = ConfigNode::Kind::kMapping;
    merged.origin = own.origin;
    for (const BaseName& base : take_bases(own)) merge_into(merged, load(find_base(base, file)));
    merge_into(merged, std::move(own));
    chain_.pop_back();
    return merged;
  }

 private:
  static void refuse_other_than_mapping(const ConfigNode& tree) {
    SGF_CHECK(tree.kind != ConfigNode::Kind::kNull,
              "{}: holds no settings; a config needs at least one key, e.g. base: world-tiny", tree.origin.source);
    SGF_CHECK(tree.kind == ConfigNode::Kind::kMapping, "{}: a config must be a mapping of keys to values, got {}",
              tree.origin.where(), describe_value(tree));
  }

  void enter(const fs::path& file) {
    const bool is_open =
        std::any_of(chain_.begin(), chain_.end(), [&](const fs::path& open) { return fs::equivalent(open, file); });
    chain_.push_back(file);
    if (is_open) fail("base files form a cycle: {}", chain_text());
    SGF_CHECK(++files_ <= kMostFiles, "more than {} base files are needed for {}; use fewer bases", kMostFiles,
              chain_[0].string());
  }

  std::string chain_text() const {
    std::vector<std::string> names;
    for (const fs::path& file : chain_) names.push_back(file.string());
    return fmt::format("{}", fmt::join(names, " -> "));
  }

  fs::path find_base(const BaseName& base, const fs::path& including) const {
    const fs::path name = with_yaml(base.name);
    std::vector<fs::path> places = {including.parent_path() / name};
    for (const fs::path& folder : preset_folders_) {
      if (name.is_relative()) places.push_back(folder / name);
    }
    const std::string asked = fmt::format("{}: base {}", base.origin.where(), in_quotes(base.name));
    return first_existing(places, asked, base.name, preset_folders_);
  }

  const std::vector<fs::path>& preset_folders_;
  std::vector<fs::path> chain_;  // from the file asked for to the one being read
  size_t files_ = 0;
};

}  // namespace

fs::path find_config_file(const fs::path& file_or_preset, const std::vector<fs::path>& preset_folders) {
  const std::string name = file_or_preset.string();
  if (!is_preset_name(file_or_preset)) {
    return first_existing({file_or_preset}, fmt::format("config '{}'", name), name, preset_folders);
  }
  SGF_CHECK(!preset_folders.empty(), "preset '{}' was not found: there is no preset folder", name);
  std::vector<fs::path> places;
  for (const fs::path& folder : preset_folders) places.push_back(folder / with_yaml(file_or_preset));
  const bool is_preset = std::any_of(places.begin(), places.end(), [](const fs::path& place) {
    std::error_code ignored;
    return fs::exists(place, ignored);
  });
  if (!is_preset) refuse_other_than_file(file_or_preset);  // a path in the working directory, and no misspelt preset
  return first_existing(places, fmt::format("preset '{}'", name), name, preset_folders);
}

ConfigNode load_config_tree(const fs::path& file, const std::vector<fs::path>& preset_folders) {
  return TreeLoader(preset_folders).load(file);
}

}  // namespace sgf
