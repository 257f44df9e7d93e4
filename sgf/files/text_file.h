// Small text files that people write: UTF-8, with or without a byte-order mark. Torch-free.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sgf {

// The whole file without its byte-order mark. One that is missing, and one that is no UTF-8 text, are Errors; `what`
// says what was expected in it: "prompts, one a line".
std::string read_text_file(const std::filesystem::path& path, const std::string& what);

// Strictly: as JSON asks for it.
bool is_utf8(std::string_view text);

// Without blanks at both ends.
std::string trimmed(const std::string& text);

}  // namespace sgf
