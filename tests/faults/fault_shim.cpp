// A library to preload (LD_PRELOAD) that stands between a program and its file calls. It counts the calls on files
// below one folder and makes one of them fail, come up short, or end the process. check_faults.py drives it.
//
//   SGF_FAULT_ROOT  the folder; calls elsewhere pass untouched and uncounted
//   SGF_FAULT_LOG   a file that gets one line per call, "KIND INTENT PATH", and one that begins with "FAULT" where it
//   acts SGF_FAULT       "KIND N ACTION": at the Nth call of KIND (from 1; "any" counts all of them) do ACTION:
//                     ERRNO   fail with that number, once
//                     ERRNO+  fail with that number, then and at every later call that needs room, as a full disk does
//                     short   write half of the bytes
//                     lie     write half of the bytes and say that it was all
//                     kill    end by SIGKILL instead of the call
//                     torn    write half of the bytes, then SIGKILL
//                     after   the call, then SIGKILL
//
// The calls themselves are made by syscall(), so that nothing here depends on what else is preloaded.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

enum class Act { kNone, kError, kErrorOn, kShort, kLie, kKill, kTorn, kAfter };

struct Plan {
  std::string root;
  std::string kind;
  long at = 0;
  Act act = Act::kNone;
  int error = 0;
  int log = -1;
};

Plan read_plan() {
  Plan plan;
  const char* root = std::getenv("SGF_FAULT_ROOT");
  if (root == nullptr) return plan;
  plan.root = root;
  if (const char* log = std::getenv("SGF_FAULT_LOG"))
    plan.log = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  char kind[32] = "", act[32] = "";
  const char* fault = std::getenv("SGF_FAULT");
  if (fault == nullptr || std::sscanf(fault, "%31s %ld %31s", kind, &plan.at, act) != 3) return plan;
  const std::string_view action = act;
  plan.kind = kind;
  plan.error = std::atoi(act);
  if (action == "short")
    plan.act = Act::kShort;
  else if (action == "lie")
    plan.act = Act::kLie;
  else if (action == "kill")
    plan.act = Act::kKill;
  else if (action == "torn")
    plan.act = Act::kTorn;
  else if (action == "after")
    plan.act = Act::kAfter;
  else
    plan.act = action.ends_with('+') ? Act::kErrorOn : Act::kError;
  return plan;
}

const Plan& plan() {
  static const Plan* const read = new Plan(read_plan());  // never destroyed: files are closed until the very end
  return *read;
}

std::string path_of(int fd) {
  char link[64], target[PATH_MAX];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof(target));
  return length > 0 ? std::string(target, static_cast<size_t>(length)) : "";
}

std::string path_of(int folder, const char* name) {
  if (name == nullptr) return "";
  if (name[0] == '/') return std::filesystem::path(name).lexically_normal().string();
  char here[PATH_MAX] = "";
  if (folder == AT_FDCWD) ::syscall(SYS_getcwd, here, sizeof(here));
  const std::string base = folder == AT_FDCWD ? here : path_of(folder);
  return (std::filesystem::path(base) / name).lexically_normal().string();
}

bool is_watched(const std::string& path) {
  const std::string& root = plan().root;
  return !root.empty() && path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

void log_call(std::string_view first, const char* kind, const char* intent, const std::string& path) {
  if (plan().log < 0) return;
  const std::string line = std::string(first) + kind + ' ' + intent + ' ' + path + '\n';
  [[maybe_unused]] const long ignored = ::syscall(SYS_write, plan().log, line.data(), line.size());
}

[[noreturn]] void die() {
  ::syscall(SYS_kill, ::getpid(), SIGKILL);
  for (;;) ::pause();
}

// What is to be done at this call, which has been counted and logged by now.
Act next_act(const char* kind, const char* intent, const std::string& path) {
  static std::atomic<long> count = 0;
  static std::atomic<bool> is_full = false;
  if (!is_watched(path)) return Act::kNone;
  const bool needs_room = std::strcmp(intent, "grow") == 0;
  const bool counts = plan().kind == "any" || plan().kind == kind;
  const bool is_due = counts && ++count == plan().at && plan().act != Act::kNone;
  const bool has_no_room = is_full && needs_room;
  log_call(is_due || has_no_room ? "FAULT " : "", kind, intent, path);
  if (is_due && plan().act == Act::kErrorOn) is_full = true;
  if (is_due && plan().act == Act::kKill) die();
  if (is_due) return plan().act;
  return has_no_room ? Act::kErrorOn : Act::kNone;
}

bool is_error(Act act) { return act == Act::kError || act == Act::kErrorOn; }

// One call of a kind that has no half: made, failed or the last.
template <class Call, class Result = std::invoke_result_t<Call>>
Result pass(const char* kind, const char* intent, const std::string& path, Call call, Result failed) {
  const Act act = next_act(kind, intent, path);
  if (is_error(act)) {
    errno = plan().error;
    return failed;
  }
  const Result result = call();
  if (act == Act::kAfter || act == Act::kTorn) die();
  return result;
}

template <class Call>
int pass(const char* kind, const char* intent, const std::string& path, Call call) {
  return pass(
      kind, intent, path, [&] { return static_cast<int>(call()); }, -1);
}

// A call that may take fewer bytes than it was given.
template <class Call>
ssize_t pass_bytes(const char* kind, int fd, size_t size, Call call) {
  const Act act = next_act(kind, "grow", path_of(fd));
  if (is_error(act)) {
    errno = plan().error;
    return -1;
  }
  const bool is_half = size > 1 && (act == Act::kShort || act == Act::kLie || act == Act::kTorn);
  const ssize_t count = call(is_half ? size / 2 : size);
  if (act == Act::kAfter || act == Act::kTorn) die();
  return act == Act::kLie ? static_cast<ssize_t>(size) : count;
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  const char* const intent = (flags & O_CREAT) != 0 ? "grow" : (flags & O_ACCMODE) == O_RDONLY ? "read" : "change";
  return pass("openat", intent, path_of(folder, path),
              [&] { return ::syscall(SYS_openat, folder, path, flags, mode); });
}

mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(rest, unsigned)) : 0;
}

int unlink_at(int folder, const char* path, int flags) {
  return pass("unlink", "change", path_of(folder, path), [&] { return ::syscall(SYS_unlinkat, folder, path, flags); });
}

int rename_at(int from, const char* old_path, int to, const char* new_path, unsigned flags) {
  return pass("rename", "change", path_of(to, new_path),
              [&] { return ::syscall(SYS_renameat2, from, old_path, to, new_path, flags); });
}

int make_folder_at(int folder, const char* path, mode_t mode) {
  return pass("mkdir", "grow", path_of(folder, path), [&] { return ::syscall(SYS_mkdirat, folder, path, mode); });
}

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

FILE* open_stream(const char* name, const char* path, const char* mode) {
  const char* const intent = std::strpbrk(mode, "wa") != nullptr ? "grow" : "read";
  const auto call = [&] { return next_of<FILE*(const char*, const char*)>(name)(path, mode); };
  return pass("openat", intent, path_of(AT_FDCWD, path), call, static_cast<FILE*>(nullptr));
}

// The descriptor is gone whatever a close answers.
template <class Call>
int pass_close(int fd, Call call) {
  const std::string path = path_of(fd);
  const bool is_read = (::syscall(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
  const Act act = next_act("close", is_read ? "read" : "change", path);
  const int result = call();
  if (act == Act::kAfter || act == Act::kTorn) die();
  if (!is_error(act)) return result;
  errno = plan().error;
  return -1;
}

}  // namespace

extern "C" {

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at(folder, path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at(AT_FDCWD, path, flags, mode);
}
// What fortified builds call where no mode is given.
int __open_2(const char* path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char* path, int flags) { return open_at(folder, path, flags, 0); }
int __openat64_2(int folder, const char* path, int flags) { return open_at(folder, path, flags, 0); }
int creat(const char* path, mode_t mode) { return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode); }
DIR* opendir(const char* path) {
  const auto call = [&] { return next_of<DIR*(const char*)>("opendir")(path); };
  return pass("openat", "read", path_of(AT_FDCWD, path), call, static_cast<DIR*>(nullptr));
}

ssize_t write(int fd, const void* bytes, size_t size) {
  return pass_bytes("write", fd, size, [&](size_t part) { return ::syscall(SYS_write, fd, bytes, part); });
}
ssize_t writev(int fd, const iovec* parts, int count) {
  const auto is_all = [&](size_t size) { return size != 1; };
  return pass_bytes("write", fd, count > 1 ? 2 : 1,  // half of it: the first of its parts
                    [&](size_t size) { return ::syscall(SYS_writev, fd, parts, is_all(size) ? count : 1); });
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  return pass_bytes("pwrite", fd, size, [&](size_t part) { return ::syscall(SYS_pwrite64, fd, bytes, part, offset); });
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return pass_bytes("pwrite", fd, size, [&](size_t part) { return ::syscall(SYS_pwrite64, fd, bytes, part, offset); });
}
ssize_t sendfile(int to, int from, off_t* offset, size_t size) noexcept {
  return pass_bytes("write", to, size, [&](size_t part) { return ::syscall(SYS_sendfile, to, from, offset, part); });
}

int fsync(int fd) {
  return pass("fsync", "change", path_of(fd), [&] { return ::syscall(SYS_fsync, fd); });
}
int fdatasync(int fd) {
  return pass("fsync", "change", path_of(fd), [&] { return ::syscall(SYS_fdatasync, fd); });
}
int ftruncate(int fd, off_t size) noexcept {
  return pass("ftruncate", "change", path_of(fd), [&] { return ::syscall(SYS_ftruncate, fd, size); });
}
int ftruncate64(int fd, off64_t size) noexcept {
  return pass("ftruncate", "change", path_of(fd), [&] { return ::syscall(SYS_ftruncate, fd, size); });
}
int truncate(const char* path, off_t size) noexcept {
  return pass("ftruncate", "change", path_of(AT_FDCWD, path), [&] { return ::syscall(SYS_truncate, path, size); });
}

int rename(const char* from, const char* to) noexcept { return rename_at(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from, const char* old_path, int to, const char* new_path) noexcept {
  return rename_at(from, old_path, to, new_path, 0);
}
int renameat2(int from, const char* old_path, int to, const char* new_path, unsigned flags) noexcept {
  return rename_at(from, old_path, to, new_path, flags);
}
int mkdir(const char* path, mode_t mode) noexcept { return make_folder_at(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char* path, mode_t mode) noexcept { return make_folder_at(folder, path, mode); }
int unlink(const char* path) noexcept { return unlink_at(AT_FDCWD, path, 0); }
int rmdir(const char* path) noexcept { return unlink_at(AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int folder, const char* path, int flags) noexcept { return unlink_at(folder, path, flags); }
int remove(const char* path) noexcept {
  struct stat found {};
  const bool is_folder = ::lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
  return unlink_at(AT_FDCWD, path, is_folder ? AT_REMOVEDIR : 0);
}

int close(int fd) {
  return pass_close(fd, [&] { return static_cast<int>(::syscall(SYS_close, fd)); });
}
int fclose(FILE* stream) {
  return pass_close(::fileno(stream), [&] { return next_of<int(FILE*)>("fclose")(stream); });
}

}  // extern "C"
