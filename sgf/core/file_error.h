// An error about a file. It carries the file, so that nobody has to search the message for its name.
#pragma once

#include "sgf/core/error.h"

#include <filesystem>
#include <string_view>
#include <utility>

namespace sgf {

// The message begins with the file's path.
class FileError : public Error {
 public:
  FileError(const std::filesystem::path& file, std::string_view message)
      : Error(fmt::format("{}: {}", file.string(), message)), file_(file) {}

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

template <class... Args>
[[noreturn]] void fail_in_file(const std::filesystem::path& file, fmt::format_string<Args...> format, Args&&... args) {
  throw FileError(file, fmt::format(format, std::forward<Args>(args)...));
}

// As SGF_CHECK, about a file.
#define SGF_CHECK_FILE(holds, file, ...)                  \
  do {                                                    \
    if (!(holds)) ::sgf::fail_in_file(file, __VA_ARGS__); \
  } while (false)

}  // namespace sgf
