// The pickle machine: one table row per operation, over a PickleStack.
#include "sgf/files/pickle.h"

#include "sgf/core/in_quotes.h"
#include "sgf/files/byte_reader.h"
#include "sgf/files/pickle_globals.h"
#include "sgf/files/pickle_stack.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace sgf {
namespace {

// An operation can be one byte long and cost eighty. Pickles that torch writes for tensors cost 12 to 21 bytes of
// memory per byte, long lists of small numbers 16. Ten thousand tensors take 17 MB.
constexpr size_t kBytesPerByte = 32;
constexpr size_t kBytesFree = size_t{4} << 20;
constexpr size_t kMostBytes = size_t{64} << 20;
constexpr size_t kLongestGlobal = 1024;

struct Machine {
  ByteReader in;
  PickleStack stack;
  const PickleRules& rules;

  void require(bool holds, std::string_view what) const {
    SGF_CHECK(holds, "{}: damaged pickle at byte {}: {}", rules.source, in.position(), what);
  }
};

// --- numbers and text ---

void make_long(Machine& m, std::string_view bytes) {
  if (bytes.size() > sizeof(int64_t)) return m.stack.make(PickleLong{std::string(bytes)});
  const bool is_negative = !bytes.empty() && (bytes.back() & 0x80) != 0;
  int64_t value = is_negative ? -1 : 0;
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
  m.stack.make(value);
}

void make_byte(Machine& m, uint8_t number) { m.stack.make_once(number, int64_t{number}); }

template <class Number>
Number parse(const Machine& m, std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  m.require(error == std::errc{} && end == text.data() + text.size(), in_quotes(text) + " is not a number");
  return number;
}

// Protocol 0 writes booleans as the integers 00 and 01.
void make_written_int(Machine& m, std::string_view text) {
  if (text == "00" || text == "01") return m.stack.make(text == "01");
  if (text.ends_with('L')) text.remove_suffix(1);
  m.stack.make(parse<int64_t>(m, text));
}

// Only protocol 0 has escapes, and no known weight file uses them.
void make_written_text(Machine& m, std::string_view text) {
  m.require(text.find('\\') == std::string_view::npos, "escapes in " + in_quotes(text) + " are not supported");
  m.stack.make(std::string(text));
}

void make_quoted_text(Machine& m, std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == text.back() && (text[0] == '\'' || text[0] == '"');
  m.require(is_quoted, in_quotes(text) + " is not quoted");
  make_written_text(m, text.substr(1, text.size() - 2));
}

// The one big-endian field.
double read_float(Machine& m) { return std::bit_cast<double>(__builtin_bswap64(m.in.u64())); }

std::string read_text(Machine& m, uint64_t length) { return std::string(m.in.text(length)); }

// --- containers ---

void append(Machine& m, const std::vector<PickleRef>& items) {
  auto& list = m.stack.top_as<PickleList>("a list to append to");
  m.stack.spend(items.size() * kReferenceBytes);
  list.items.insert(list.items.end(), items.begin(), items.end());
}

void set_items(Machine& m, const std::vector<PickleRef>& items) {
  m.require(items.size() % 2 == 0, "a key without a value");
  auto& dict = m.stack.top_as<PickleDict>("a dict to fill");
  m.stack.spend(items.size() * kReferenceBytes);
  for (size_t i = 0; i < items.size(); i += 2) dict.items.emplace_back(items[i], items[i + 1]);
}

void make_dict(Machine& m, const std::vector<PickleRef>& items) {
  m.stack.make(PickleDict{});
  set_items(m, items);
}

// --- names, and what is built from them ---

// Such as "os.system"; checked against the list of known names.
std::string known_global(Machine& m, std::string_view module, std::string_view name) {
  m.require(module.size() + name.size() < kLongestGlobal, "a name that is too long");
  std::string full = fmt::format("{}.{}", module, name);
  const bool is_known = is_known_global(full) || (m.rules.torchscript && is_torchscript_global(full));
  SGF_CHECK(is_known,
            "{}: refers to {}, which is not plain weights (nothing was run); re-save only the state dict in Python: "
            "torch.save(model.state_dict(), path)",
            m.rules.source, in_quotes(full));
  return full;
}

void make_global(Machine& m, std::string_view module, std::string_view name) {
  std::string full = known_global(m, module, name);
  m.stack.spend(full.size());  // a name from the memo can be joined many times
  m.stack.make(PickleGlobal{std::move(full)});
}

void make_written_global(Machine& m) {
  const std::string_view module = m.in.line();
  make_global(m, module, m.in.line());
}

// INST names a class and builds it in one operation. Torch never writes it, but the message says what it asks for.
void refuse_instance(Machine& m) {
  const std::string_view module = m.in.line();
  const std::string full = known_global(m, module, m.in.line());
  fail("{}: builds a {} with an operation that torch.save never writes (nothing was run)", m.rules.source,
       in_quotes(full));
}

void make_stack_global(Machine& m) {
  const auto& name = m.stack.pop_as<std::string>("the name of a global");
  make_global(m, m.stack.pop_as<std::string>("the module of a global"), name);
}

std::pair<PickleRef, PickleRef> pair_items(const Machine& m, PickleRef pair) {
  const auto* list = pair->as<PickleList>();
  const auto* tuple = pair->as<PickleTuple>();
  const auto* items = list ? &list->items : tuple ? &tuple->items : nullptr;
  m.require(items != nullptr && items->size() == 2, "an OrderedDict whose items are not pairs");
  return {(*items)[0], (*items)[1]};
}

// Empty and filled later or, as Python 2 wrote it, from a list of pairs. That list can be referenced many times, so
// every copy counts.
void make_ordered_dict(Machine& m, const PickleTuple& arguments) {
  PickleDict dict;
  if (!arguments.items.empty()) {
    const auto* pairs = arguments.items[0]->as<PickleList>();
    m.require(pairs != nullptr, "an OrderedDict whose items are not pairs");
    m.stack.spend(pairs->items.size() * 2 * sizeof(dict.items[0]));
    for (const PickleRef pair : pairs->items) dict.items.push_back(pair_items(m, pair));
  }
  m.stack.make(std::move(dict));
}

void make_object(Machine& m) {
  const PickleRef args = m.stack.top();
  const auto& arguments = m.stack.pop_as<PickleTuple>("a tuple of arguments");
  const auto& callable = m.stack.pop_as<PickleGlobal>("a name to call");
  if (callable.name == "collections.OrderedDict") return make_ordered_dict(m, arguments);
  m.stack.make(PickleObject{.callable = &callable, .args = args});
}

void give_state(Machine& m) {
  const PickleRef state = m.stack.pop();
  if (m.stack.top()->as<PickleDict>() != nullptr) return;  // a state dict's version notes: not used
  m.stack.top_as<PickleObject>("an object to give state to").state = state;
}

void make_persistent(Machine& m) {
  const PickleRef id = m.stack.pop();
  m.stack.make(PicklePersistent{id});
}

void read_protocol(Machine& m) { m.require(m.in.u8() <= 5, "a protocol newer than 5"); }

void read_frame(Machine& m) { m.require(m.in.u64() <= m.in.remaining(), "a frame longer than the file"); }

// --- the table ---

using Operation = void (*)(Machine&);
using Table = std::array<Operation, 256>;

void add_numbers(Table& t) {
  t['N'] = [](Machine& m) { m.stack.make_once(258, PickleNone{}); };
  t[0x88] = [](Machine& m) { m.stack.make_once(257, true); };
  t[0x89] = [](Machine& m) { m.stack.make_once(256, false); };
  t['K'] = [](Machine& m) { make_byte(m, m.in.u8()); };
  t['M'] = [](Machine& m) { m.stack.make(int64_t{m.in.u16()}); };
  t['J'] = [](Machine& m) { m.stack.make(int64_t{m.in.integer<int32_t>()}); };
  t[0x8a] = [](Machine& m) { make_long(m, m.in.text(m.in.u8())); };
  t[0x8b] = [](Machine& m) { make_long(m, m.in.text(m.in.u32())); };
  t['G'] = [](Machine& m) { m.stack.make(read_float(m)); };
  t['I'] = t['L'] = [](Machine& m) { make_written_int(m, m.in.line()); };
  t['F'] = [](Machine& m) { m.stack.make(parse<double>(m, m.in.line())); };
}

void add_text(Table& t) {
  t['X'] = t['T'] = [](Machine& m) { m.stack.make(read_text(m, m.in.u32())); };
  t[0x8c] = t['U'] = [](Machine& m) { m.stack.make(read_text(m, m.in.u8())); };
  t[0x8d] = [](Machine& m) { m.stack.make(read_text(m, m.in.u64())); };
  t['S'] = [](Machine& m) { make_quoted_text(m, m.in.line()); };
  t['V'] = [](Machine& m) { make_written_text(m, m.in.line()); };
  t['B'] = [](Machine& m) { m.stack.make(PickleBytes{read_text(m, m.in.u32())}); };
  t['C'] = [](Machine& m) { m.stack.make(PickleBytes{read_text(m, m.in.u8())}); };
  t[0x8e] = t[0x96] = [](Machine& m) { m.stack.make(PickleBytes{read_text(m, m.in.u64())}); };
}

void add_containers(Table& t) {
  t['('] = [](Machine& m) { m.stack.mark(); };
  t[']'] = t[0x8f] = [](Machine& m) { m.stack.make(PickleList{}); };
  t['l'] = t[0x91] = [](Machine& m) { m.stack.make(PickleList{m.stack.pop_to_mark()}); };
  t[')'] = [](Machine& m) { m.stack.make(PickleTuple{}); };
  t[0x85] = [](Machine& m) { m.stack.make(PickleTuple{m.stack.pop_many(1)}); };
  t[0x86] = [](Machine& m) { m.stack.make(PickleTuple{m.stack.pop_many(2)}); };
  t[0x87] = [](Machine& m) { m.stack.make(PickleTuple{m.stack.pop_many(3)}); };
  t['t'] = [](Machine& m) { m.stack.make(PickleTuple{m.stack.pop_to_mark()}); };
  t['}'] = [](Machine& m) { m.stack.make(PickleDict{}); };
  t['d'] = [](Machine& m) { make_dict(m, m.stack.pop_to_mark()); };
  t['a'] = [](Machine& m) { append(m, m.stack.pop_many(1)); };
  t['e'] = t[0x90] = [](Machine& m) { append(m, m.stack.pop_to_mark()); };
  t['s'] = [](Machine& m) { set_items(m, m.stack.pop_many(2)); };
  t['u'] = [](Machine& m) { set_items(m, m.stack.pop_to_mark()); };
}

void add_objects(Table& t) {
  t['c'] = make_written_global;
  t['i'] = refuse_instance;
  t[0x93] = make_stack_global;
  t['R'] = t[0x81] = make_object;
  t['b'] = give_state;
  t['Q'] = make_persistent;
  t[0x80] = read_protocol;
  t[0x95] = read_frame;
}

void add_stack(Table& t) {
  t['0'] = [](Machine& m) { m.stack.drop(); };
  t['1'] = [](Machine& m) { m.stack.pop_to_mark(); };
  t['2'] = [](Machine& m) { m.stack.push(m.stack.top()); };
  t['q'] = [](Machine& m) { m.stack.remember(m.in.u8()); };
  t['r'] = [](Machine& m) { m.stack.remember(m.in.u32()); };
  t['p'] = [](Machine& m) { m.stack.remember(parse<uint32_t>(m, m.in.line())); };
  t[0x94] = [](Machine& m) { m.stack.remember(); };
  t['h'] = [](Machine& m) { m.stack.recall(m.in.u8()); };
  t['j'] = [](Machine& m) { m.stack.recall(m.in.u32()); };
  t['g'] = [](Machine& m) { m.stack.recall(parse<uint32_t>(m, m.in.line())); };
}

Table make_table() {
  Table table{};
  add_numbers(table);
  add_text(table);
  add_containers(table);
  add_objects(table);
  add_stack(table);
  return table;
}

}  // namespace

Pickle read_pickle(std::span<const std::byte> bytes, const PickleRules& rules) {
  static const Table kTable = make_table();
  constexpr uint8_t kStop = '.';
  const size_t most_bytes = std::min(kBytesFree + kBytesPerByte * bytes.size(), kMostBytes);
  Machine m{.in = ByteReader(bytes, rules.source), .stack = PickleStack(rules.source, most_bytes), .rules = rules};
  for (uint8_t code = m.in.u8(); code != kStop; code = m.in.u8()) {
    SGF_CHECK(kTable[code] != nullptr, "{}: torch.save never writes pickle operation 0x{:02x}, found at byte {}",
              rules.source, code, m.in.position() - 1);
    kTable[code](m);
  }
  return m.stack.finish(m.in.position());
}

}  // namespace sgf
