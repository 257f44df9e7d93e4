#include "sgf/report/html_text.h"

#include "sgf/core/error.h"

#include <cstdint>

namespace sgf {

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string encode_base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < group.size() ? static_cast<uint8_t>(group[k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= group.size() ? kAlphabet[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string fill_page(std::string_view page, const std::map<std::string_view, std::string_view>& texts) {
  std::string out;
  for (size_t at = page.find("{{"); at != std::string_view::npos; at = page.find("{{")) {
    const size_t end = page.find("}}", at);
    SGF_CHECK(end != std::string_view::npos, "the page has a placeholder without end: '{}'", page.substr(at));
    const std::string_view name = page.substr(at + 2, end - at - 2);
    const auto found = texts.find(name);
    SGF_CHECK(found != texts.end(), "the page has a placeholder '{}' without a text", name);
    const std::string_view text = found->second;
    out.append(page.substr(0, at)).append(text);
    page.remove_prefix(end + 2);
    if (page.starts_with('\n') && (text.empty() || text.ends_with('\n'))) page.remove_prefix(1);
  }
  return out.append(page);
}

}  // namespace sgf
