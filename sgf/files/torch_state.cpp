// A bounded walk: a pickle can refer to one dict many times, and a few hundred bytes then unfold to more paths than
// memory can hold.
#include "sgf/files/torch_state.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/torch_tensor.h"

#include <algorithm>

namespace sgf {
namespace {

constexpr int kDeepestState = 64;
constexpr size_t kLongestPlainList = 1024;
// Bytes of index per byte of pickle. State dicts need about 3, short lists of numbers under a long name 60.
constexpr size_t kUnfoldFactor = 32;
constexpr size_t kUnfoldFree = size_t{4} << 20;
constexpr size_t kMostUnfolded = size_t{64} << 20;
constexpr size_t kNodeBytes = 112;  // of a map from string to string

template <class... Kinds>
struct Overloaded : Kinds... {
  using Kinds::operator()...;
};
template <class... Kinds>
Overloaded(Kinds...) -> Overloaded<Kinds...>;  // clang before 17 does not deduce this

class Walk {
 public:
  Walk(const Pickle& pickle, const StorageLookup& find_storage, TensorFile& out)
      : source_(out.files.at(0)->path().string()),
        find_storage_(find_storage),
        out_(out),
        budget_(std::min(kUnfoldFree + kUnfoldFactor * pickle.byte_count, kMostUnfolded)) {}

  void visit(const std::string& name, PickleRef value, int depth) {
    SGF_CHECK(depth < kDeepestState, "{}: nested deeper than {} at {}", source_, kDeepestState, in_quotes(name));
    spend(name.size() + 8);  // never 0, because names can be empty
    std::visit(Overloaded{
                   [&](PickleNone) { note(name, "None"); },
                   [&](bool flag) { note(name, flag ? "True" : "False"); },
                   [&](const PickleBytes& bytes) { note(name, fmt::format("<{} bytes>", bytes.data.size())); },
                   [&](const PickleLong& number) { note(name, fmt::format("<{} byte integer>", number.data.size())); },
                   [&](const PickleList& list) { visit_items(name, list.items, depth); },
                   [&](const PickleTuple& tuple) { visit_items(name, tuple.items, depth); },
                   [&](const PickleDict& dict) { visit_dict(name, dict, depth); },
                   [&](const PickleGlobal& global) { note(name, global.name); },
                   [&](const PickleObject& object) { visit_object(name, object, depth); },
                   [&](const PicklePersistent&) { note(name, "<storage>"); },
                   [&](const auto& number_or_text) { note(name, fmt::format("{}", number_or_text)); },
               },
               value->data);
  }

 private:
  void spend(size_t amount) {
    SGF_CHECK(amount <= budget_, "{}: its shared parts unfold to too many names and values for a checkpoint", source_);
    budget_ -= amount;
  }

  void note(const std::string& name, std::string text) {
    spend(kNodeBytes + text.size());
    const bool is_new = out_.metadata.emplace(name, std::move(text)).second;
    SGF_CHECK(is_new, "{}: two values are named {}", source_, in_quotes(name));
  }

  static bool is_plain_value(PickleRef value) {
    return !value->as<PickleList>() && !value->as<PickleTuple>() && !value->as<PickleDict>() &&
           !value->as<PickleObject>();
  }

  static std::string join(const std::string& name, const std::string& part) {
    return name.empty() ? part : name + "." + part;
  }

  // Dicts are keyed by text or numbers; a key of another type is named by its position.
  static std::string key_text(PickleRef key, size_t position) {
    if (const auto* text = key->as<std::string>()) return *text;
    if (const auto* number = key->as<int64_t>()) return std::to_string(*number);
    return fmt::format("<key {}>", position);
  }

  // A list of a million losses becomes one entry, not a million.
  void visit_items(const std::string& name, const std::vector<PickleRef>& items, int depth) {
    const bool is_plain = items.size() > kLongestPlainList && std::ranges::all_of(items, is_plain_value);
    if (is_plain) return note(name, fmt::format("<{} values>", items.size()));
    for (size_t i = 0; i < items.size(); ++i) visit(join(name, std::to_string(i)), items[i], depth + 1);
  }

  void visit_dict(const std::string& name, const PickleDict& dict, int depth) {
    for (size_t i = 0; i < dict.items.size(); ++i) {
      visit(join(name, key_text(dict.items[i].first, i)), dict.items[i].second, depth + 1);
    }
  }

  // Attributes of a plain object are read like a dict's items; TorchScript wraps its lists in a call.
  void visit_object(const std::string& name, const PickleObject& object, int depth) {
    if (is_torch_tensor(object)) return add_tensor(name.empty() ? "tensor" : name, object, depth);
    const auto* state = object.state ? object.state->as<PickleDict>() : nullptr;
    if (state != nullptr) return visit_dict(name, *state, depth);
    const auto& args = object.args->as<PickleTuple>()->items;
    const bool is_wrapped_list = object.callable->name.starts_with("torch.jit._pickle.") && !args.empty();
    if (is_wrapped_list) return visit(name, args[0], depth + 1);
    note(name, fmt::format("<{}>", object.callable->name));
  }

  void add_tensor(const std::string& name, const PickleObject& object, int depth) {
    out_.is_flattened = out_.is_flattened || depth > 1;
    const uint64_t file_size = out_.files[0]->bytes().size();
    TensorEntry entry =
        read_torch_tensor(object, find_storage_, file_size, fmt::format("{}: tensor {}", source_, in_quotes(name)));
    spend(kNodeBytes + name.size() + 2 * sizeof entry + 16 * entry.shape.size());
    entry.name = name;
    out_.add(std::move(entry));
  }

  std::string source_;
  const StorageLookup& find_storage_;
  TensorFile& out_;
  size_t budget_;
};

}  // namespace

void flatten_torch_state(const Pickle& pickle, const StorageLookup& find_storage, TensorFile& out) {
  Walk(pickle, find_storage, out).visit("", pickle.root, 0);
}

}  // namespace sgf
