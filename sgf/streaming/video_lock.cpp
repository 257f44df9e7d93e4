#include "sgf/streaming/video_lock.h"

#include "sgf/core/error.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace sgf {
namespace {

namespace fs = std::filesystem;

fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

// What a kill in the middle of writing a lock leaves: the beginning of an order, whose first key is its build.
bool is_torn_order(std::string_view text) {
  constexpr std::string_view kBeginning = R"({"build":"sgf )";
  return text.substr(0, kBeginning.size()) == kBeginning.substr(0, text.size()) && !try_parse_json(text);
}

}  // namespace

fs::path follow_links(fs::path file) {
  file = without_slash(file);
  for (int links = 0; fs::is_symlink(file) && links < 40; ++links)
    file = without_slash(file.parent_path() / fs::read_symlink(file));  // an absolute link replaces the path before it
  return file;
}

fs::path lock_file(const fs::path& file) {
  return without_slash(fs::weakly_canonical(follow_links(file))).concat(".lock");
}

std::optional<GenerateOrder> order_in_lock(const fs::path& lock) {
  if (!fs::exists(lock)) return std::nullopt;
  const std::shared_ptr<const MappedFile> file = MappedFile::open(lock);
  if (file->text().empty() || is_torn_order(file->text())) return std::nullopt;
  std::optional<GenerateOrder> order = find_order(file->text(), lock.string());
  SGF_CHECK(order.has_value(), "{}: is not a lock of sgf; rename it, or use another name for the video", lock.string());
  return order;
}

}  // namespace sgf
