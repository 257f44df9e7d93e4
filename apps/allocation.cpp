// The program's own operator new: as the library's, but what it throws says how much was asked for. Memory still comes
// from malloc, so that either delete takes it. Sanitizers bring their own.
#include "apps/allocation.h"

#include "apps/say.h"
#include "sgf/core/out_of_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <new>

namespace sgf {

bool main_has_begun = false;

}  // namespace sgf

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

[[noreturn]] void end_before_main() {
  sgf::warn_in_signal("out of memory while the program is loaded; end other programs, or raise the limit (ulimit -v)");
  ::_exit(1);
}

template <class Allocate>
void* allocate_or_throw(std::size_t bytes, const Allocate& allocate) {
  for (;;) {
    if (void* memory = allocate()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr && !sgf::main_has_begun) end_before_main();
    if (handler == nullptr) throw sgf::OutOfMemory(bytes);
    handler();
  }
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate_or_throw(bytes, [&] { return std::malloc(bytes == 0 ? 1 : bytes); });
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, [&]() -> void* {
    void* memory = nullptr;
    return ::posix_memalign(&memory, static_cast<std::size_t>(alignment), bytes == 0 ? 1 : bytes) == 0 ? memory
                                                                                                       : nullptr;
  });
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
