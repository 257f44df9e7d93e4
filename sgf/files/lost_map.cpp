// Everything here runs in a signal handler: no allocation, no locks, only system calls.
#include "sgf/files/lost_map.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

namespace sgf {
namespace {

constexpr size_t kLongestLine = 8192;

std::array<char, kLongestLine> line_buffer;
std::array<char, kLongestLine + 128> message_buffer;
LostMapWriter write_lost_map = nullptr;

// Removes hexadecimal digits from the front and returns their value.
unsigned long take_hex(std::string_view& text) {
  unsigned long value = 0;
  while (!text.empty()) {
    const char c = text.front();
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    value = value * 16 + static_cast<unsigned long>(digit);
    text.remove_prefix(1);
  }
  return value;
}

// Reads one line without its newline; false at the end of the file. What does not fit is skipped.
bool read_line(int fd, std::string_view& line) {
  size_t length = 0;
  char c = 0;
  ssize_t count = 0;
  while ((count = ::read(fd, &c, 1)) == 1 && c != '\n')
    if (length < line_buffer.size()) line_buffer[length++] = c;
  line = {line_buffer.data(), length};
  return count == 1;
}

std::string_view path_at(unsigned long address) {
  const int fd = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string_view line, path;
  while (path.empty() && read_line(fd, line)) path = mapped_path(line, address);
  ::close(fd);
  return path;
}

// Control characters, and the UTF-8 sequences that begin those of C1 and of writing direction: core/printable.h escapes
// the same, but allocates.
bool controls_terminal(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(at), next = byte(at + 1);
  return lead < 0x20 || lead == 0x7f || (lead == 0xc2 && next < 0xa0) ||
         (lead == 0xe2 && (next == 0x80 || next == 0x81));
}

size_t append(size_t at, std::string_view text) {
  const auto continues = [&](size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  for (size_t i = 0; i < text.size() && at < message_buffer.size(); ++i) {
    const bool is_control = controls_terminal(text, i);
    message_buffer[at++] = is_control ? '?' : text[i];
    while (is_control && continues(i + 1)) ++i;
  }
  return at;
}

std::atomic_flag is_speaking = ATOMIC_FLAG_INIT;

void report_lost_map(int signal, siginfo_t* info, void*) {
  while (is_speaking.test_and_set()) ::pause();  // another thread met the same loss and ends the program
  const std::string_view path = path_at(reinterpret_cast<unsigned long>(info->si_addr));
  if (path.empty()) {  // not a mapped file: act as if there were no handler
    is_speaking.clear();
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  const size_t length =
      append(append(0, path),
             " was cut short, or its disk failed, while it was being read; restore it and run the command again");
  write_lost_map({message_buffer.data(), length});
  ::_exit(1);
}

}  // namespace

// "7f0a1000-7f0a2000 r--s 00000000 fe:01 1234    /a/b": addresses, four fields, and the path with its spaces.
std::string_view mapped_path(std::string_view line, unsigned long address) {
  const unsigned long begin = take_hex(line);
  if (!line.starts_with('-')) return {};
  line.remove_prefix(1);
  const unsigned long end = take_hex(line);
  const size_t slash = line.find('/');
  return begin <= address && address < end && slash != std::string_view::npos ? line.substr(slash) : std::string_view();
}

void explain_lost_maps(LostMapWriter write) {
  write_lost_map = write;
  struct sigaction action = {};
  action.sa_sigaction = report_lost_map;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace sgf
