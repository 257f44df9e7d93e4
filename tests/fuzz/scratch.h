// Files for readers that take a path: in a folder of this process, in memory where the system has such a place.
#pragma once

#include "sgf/files/mapped_file.h"

#include <filesystem>
#include <memory>
#include <string_view>

namespace sgf::fuzz {

// Made when first asked for, and removed when the process ends in order. In $TMPDIR, else /dev/shm, else /tmp.
const std::filesystem::path& scratch_folder();

// A file of that name, which may lie in a folder, with this content. Its path.
std::filesystem::path scratch_file(std::string_view name, std::string_view content);

// The input as a file that was never on a disk, for readers that take one.
std::shared_ptr<const MappedFile> mapped(std::string_view name, std::string_view content);

}  // namespace sgf::fuzz
