// parse_yaml: from yaml-cpp's parser events to a config tree. Its own node graph keeps duplicate keys, loses the
// positions of keys and expands aliases without bound, so the tree is built here.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <optional>
#include <sstream>
#include <utility>

#include "sgf/config/config_tree.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/utf8.h"

namespace sgf {
namespace {

// Far above any real config, far below what would hurt.
constexpr size_t kDeepestYaml = 32;
constexpr size_t kMostValues = 10000;

Origin origin_at(const Origin& first, const YAML::Mark& mark) {
  if (first.line == 0 || mark.is_null()) return first;
  return {.source = first.source, .line = first.line + mark.line, .column = mark.column + 1};
}

// Collects one document. A mapping on the stack alternates between waiting for a key and for its value.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Origin first) : first_(std::move(first)) {}

  bool has_document() const { return has_document_; }
  ConfigNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (has_document_) refuse(mark, "a second YAML document starts here, expected one");
    has_document_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "?", anchor);
    if (waits_for_key()) refuse(mark, "a key must be a word, got nothing");
    // The parser places an absent value at the next token; the position of its key helps the reader more.
    ConfigNode node = make(ConfigNode::Kind::kNull, mark);
    if (!stack_.empty() && stack_.back().key) node.origin = stack_.back().key->origin;
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_extras(mark, tag, anchor);
    if (waits_for_key()) return take_key(mark, text);
    ConfigNode node = make(ConfigNode::Kind::kScalar, mark);
    node.text = text;
    node.is_quoted = tag == "!";
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ConfigNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, ConfigNode::Kind::kMapping);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Key {
    std::string name;
    Origin origin;
  };
  struct Open {
    ConfigNode node;
    std::optional<Key> key;  // of the value that comes next, in a mapping
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) const {
    fail("{}: {}", origin_at(first_, mark).where(), message);
  }
  [[noreturn]] void refuse_anchor(const YAML::Mark& mark) const {
    refuse(mark, "anchors and aliases (&name, *name) are not supported; share settings with base:");
  }

  void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) refuse_anchor(mark);
    const bool is_tagged = !tag.empty() && tag != "?" && tag != "!";  // plain and quoted values carry these
    if (is_tagged) refuse(mark, fmt::format("YAML tags are not supported, got {}", in_quotes(tag)));
  }

  bool waits_for_key() const {
    return !stack_.empty() && stack_.back().node.kind == ConfigNode::Kind::kMapping && !stack_.back().key;
  }

  // "model.dim", from the keys that are open.
  std::string path_of(const std::string& name) const {
    std::string path;
    for (const Open& open : stack_) {
      if (open.key) path = join_key(path, open.key->name);
    }
    return join_key(path, name);
  }

  void take_key(const YAML::Mark& mark, const std::string& name) {
    for (const ConfigEntry& entry : stack_.back().node.entries) {
      if (entry.key == name) {
        refuse(mark, fmt::format("{} is given twice, first at {}", path_of(name), entry.origin.where()));
      }
    }
    stack_.back().key = Key{name, origin_at(first_, mark)};
  }

  ConfigNode make(ConfigNode::Kind kind, const YAML::Mark& mark) {
    if (++values_ > kMostValues) refuse(mark, fmt::format("a config must have at most {} values", kMostValues));
    ConfigNode node;
    node.kind = kind;
    node.origin = origin_at(first_, mark);
    return node;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, ConfigNode::Kind kind) {
    refuse_extras(mark, tag, anchor);
    // yaml-cpp reads "[1" without its end as the start of such a key.
    if (waits_for_key()) refuse(mark, "a key must be a word, got a list or a mapping; is a bracket left open?");
    if (stack_.size() >= kDeepestYaml)
      refuse(mark, fmt::format("a config must be nested at most {} levels deep", kDeepestYaml));
    stack_.push_back({make(kind, mark), std::nullopt});
  }

  void close() {
    ConfigNode node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }

  void add(ConfigNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.kind == ConfigNode::Kind::kSequence) {
      parent.node.items.push_back(std::move(node));
    } else {
      parent.node.entries.push_back({std::move(parent.key->name), std::move(parent.key->origin), std::move(node)});
      parent.key.reset();
    }
  }

  Origin first_;
  ConfigNode root_;
  std::vector<Open> stack_;
  size_t values_ = 0;
  bool has_document_ = false;
};

// yaml-cpp accepts broken UTF-8 and ends the file at a stray control character; both would lose settings silently.
void check_characters(std::string_view text, const Origin& first) {
  YAML::Mark mark;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool is_space = byte == '\n' || byte == '\t' || byte == '\r';
    SGF_CHECK(length > 0 && (byte >= 0x20 || is_space), "{}: expected UTF-8 text, got byte 0x{:02X}",
              origin_at(first, mark).where(), byte);
    if (byte == '\n') ++mark.line;
    text.remove_prefix(length);
  }
}

}  // namespace

ConfigNode parse_yaml(std::string_view text, const Origin& first) {
  check_characters(text, first);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(first);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    fail("{}: not valid YAML: {}", origin_at(first, error.mark).where(), error.msg);
  }
  ConfigNode root = builder.take_root();
  if (!builder.has_document()) root.origin = first;
  return root;
}

}  // namespace sgf
