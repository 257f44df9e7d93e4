// Checks before long work that its result can be put where it was asked for.
#pragma once

#include <filesystem>
#include <string>

namespace sgf {

// Throws if the folder is missing, is a file, or is not writable; `target` is what would be put there.
void check_writable(const std::filesystem::path& folder, const std::string& target);

// The same for the folder around a file.
void check_can_be_put(const std::filesystem::path& file);

// The same for a folder that is made with those around it: for the nearest one that exists.
void check_can_be_made(const std::filesystem::path& folder, const std::string& target);

// The folder, or the nearest one around it that exists.
std::filesystem::path existing_part(const std::filesystem::path& folder);

// Makes the folder and those around it. Throws an Error that says why if it cannot.
void create_folder(const std::filesystem::path& folder);

}  // namespace sgf
