// The frame and the parts of the pages a run leaves: each needs neither network nor other files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sgf {

// A strip of frames with its caption.
struct ReportStrip {
  std::string caption;
  std::string png;  // a whole PNG file
};

// Texts are escaped here; `body` is made of the parts below.
std::string html_page(const std::string& title, const std::string& body);
std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts);  // name and value, in a row
std::string html_strips(const std::vector<ReportStrip>& strips);
std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

// The page is replaced at once or not at all: a browser may be looking.
void save_page(const std::filesystem::path& path, const std::string& html);

}  // namespace sgf
