// An out-of-memory error in words: what was being done, and how much was requested.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <string_view>

namespace sgf {

// Not an sgf::Error: a reader that rebuilds a damaged file must not take this for damage. The text is stored inside,
// because there may be no memory to allocate it.
class OutOfMemory : public std::bad_alloc {
 public:
  // For an allocation whose purpose is not known yet; rethrow_out_of_memory adds the name of the work.
  explicit OutOfMemory(size_t bytes) noexcept : OutOfMemory(bytes, "") {}
  // `work` is text such as "reading a.png"; `bytes` is 0 if unknown.
  OutOfMemory(size_t bytes, std::string_view work) noexcept;

  const char* what() const noexcept override { return text_.data(); }
  size_t bytes() const noexcept { return bytes_; }
  bool names_work() const noexcept { return names_work_; }

 private:
  size_t bytes_;
  bool names_work_;
  std::array<char, 480> text_{};
};

// For interfaces that catch std::bad_alloc: rethrows it with the work's name, unless an inner one has set its own.
[[noreturn]] void rethrow_out_of_memory(const std::bad_alloc& error, std::string_view work);

}  // namespace sgf
