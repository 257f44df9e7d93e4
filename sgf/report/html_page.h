// Layout and parts of report pages. A page is self-contained: no network, no other file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgf {

// A strip of frames with its caption.
struct ReportStrip {
  std::string caption;
  std::string png;  // a whole PNG file
};

// What a page has beside the style of all pages: CSS, and JavaScript that runs when the page is read.
struct PageExtras {
  std::string_view style = {}, script = {};
};

// Escapes the title; `body` is made of the parts below.
std::string html_page(const std::string& title, const std::string& body, const PageExtras& extras = {});
std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts);  // name and value, in a row
std::string html_strips(const std::vector<ReportStrip>& strips);
std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

// Replaces the page atomically, since a browser may be reading it.
void save_page(const std::filesystem::path& path, const std::string& html);

}  // namespace sgf
