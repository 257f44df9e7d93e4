// The lock beside a file of a video: NAME.lock, empty or with the order of the process that writes the file.
// Torch-free.
#pragma once

#include "sgf/streaming/generate_order.h"

#include <filesystem>
#include <optional>

namespace sgf {

// Follows links, also to a file that does not exist yet: two names of one file share the files beside it.
std::filesystem::path follow_links(std::filesystem::path file);

std::filesystem::path lock_file(const std::filesystem::path& file);

// nullopt if the lock is missing, empty or was cut while it was written. A file of that name with other content belongs
// to somebody else: throws.
std::optional<GenerateOrder> order_in_lock(const std::filesystem::path& lock);

}  // namespace sgf
