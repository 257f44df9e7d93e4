// Small text files that people write: UTF-8, with or without a byte-order mark. Torch-free.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sgf {

// The whole file without its byte-order mark. Throws Error if it is missing or not UTF-8; `what` says what was expected
// in it: "prompts, one per line".
std::string read_text_file(const std::filesystem::path& path, const std::string& what);

// Strict, as JSON requires.
bool is_utf8(std::string_view text);

// Without spaces at both ends.
std::string trimmed(const std::string& text);

}  // namespace sgf
