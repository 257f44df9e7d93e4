// Memory that ran out, in words: what was being done, and how much was asked for.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <string_view>

namespace sgf {

// No sgf::Error: a reader that makes a damaged file again must not take this for damage. The text lies within, as there
// may be no memory for it elsewhere.
class OutOfMemory : public std::bad_alloc {
 public:
  // Of an allocation; a door that it passes names the work.
  explicit OutOfMemory(size_t bytes) noexcept : OutOfMemory(bytes, "") {}
  // `work` is "reading a.png"; 0 bytes where nobody said how many.
  OutOfMemory(size_t bytes, std::string_view work) noexcept;

  const char* what() const noexcept override { return text_.data(); }
  size_t bytes() const noexcept { return bytes_; }
  bool names_work() const noexcept { return names_work_; }

 private:
  size_t bytes_;
  bool names_work_;
  std::array<char, 480> text_{};
};

// For doors that catch std::bad_alloc: throws it again with the work's name, unless an inner door has named its own.
[[noreturn]] void rethrow_out_of_memory(const std::bad_alloc& error, std::string_view work);

}  // namespace sgf
