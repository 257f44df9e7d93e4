// Text from outside made fit for messages, pages and YAML.
#include "fuzz/fuzz_target.h"

#include "sgf/config/config_tree.h"
#include "sgf/config/yaml_text.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/nearest_name.h"
#include "sgf/report/html_text.h"

#include <algorithm>

namespace sgf::fuzz {
namespace {

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void read(std::string_view input) {
  must(!has_control(in_quotes(input)) && in_quotes(input).size() <= 500, "a quote is short, and one printable line");
  must(escape_html(input).find_first_of("<>\"") == std::string::npos, "text opens no tag and closes no attribute");
  must(encode_base64(input).size() == (input.size() + 2) / 3 * 4, "four characters for three bytes");
  do_or_refuse("", [&] {
    const ConfigNode node = parse_yaml("key: " + spell_text(input), {.source = "spelled", .line = 1, .column = 1});
    must(node.entries.at(0).value.text == input, "spelled text reads as it was");
  });
  const std::string_view name = input.substr(0, 64);
  must(edit_distance(name, name) == 0, "a name is next to itself");
  must(nearest_name(name, {std::string(name)}).has_value(), "and the nearest to itself");
}

const Registered target("shown_text", read);

}  // namespace
}  // namespace sgf::fuzz
