// Replays kept inputs through the fuzz targets, without clang: `sgf_fuzz_replay FOLDER` reads FOLDER/seeds/TARGET and
// FOLDER/broken/TARGET. Names end in .gz where the input is stored packed.
#include "fuzz/fuzz_target.h"

#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#ifdef __SANITIZE_ADDRESS__
// A few bytes that ask for gigabytes are a finding.
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=2048"; }
#endif

namespace {

namespace fs = std::filesystem;
using namespace sgf;
using namespace sgf::fuzz;

constexpr rlim_t kMemoryLimit = rlim_t{4} << 30;  // of addresses: the threads of a decoder take some too

// Sanitizers reserve terabytes of addresses, and have a limit of their own above.
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  const rlimit limit{.rlim_cur = kMemoryLimit, .rlim_max = kMemoryLimit};
  SGF_CHECK(::setrlimit(RLIMIT_AS, &limit) == 0, "memory cannot be limited to 4 GiB");
#endif
}

std::string unpacked(const fs::path& path) {
  const gzFile file = ::gzopen(path.c_str(), "rb");
  SGF_CHECK(file != nullptr, "{}: cannot be read", path.string());
  std::string content;
  std::array<char, 65536> piece{};
  int bytes = 0;
  while ((bytes = ::gzread(file, piece.data(), piece.size())) > 0)
    content.append(piece.data(), static_cast<size_t>(bytes));
  ::gzclose(file);
  SGF_CHECK(bytes == 0, "{}: cannot be unpacked", path.string());
  return content;
}

std::string read_input(const fs::path& path) {
  if (path.extension() == ".gz") return unpacked(path);
  std::ifstream file(path, std::ios::binary);
  SGF_CHECK(file.good(), "{}: cannot be read", path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<fs::path> entries_of(const fs::path& folder) {
  if (!fs::exists(folder)) return {};
  return {fs::directory_iterator(folder), fs::directory_iterator()};
}

// Says the name first: a crash must tell what it died of. Whether all is well.
bool replay(const Target& target, const fs::path& input) {
  fmt::print("{} {}\n", target.name, input.filename().string());
  std::fflush(stdout);
  try {
    run_target(target, read_input(input));
    return true;
  } catch (const std::exception& error) {
    fmt::print("FAILED: {}: {}\n", input.string(), error.what());
    return false;
  }
}

// A folder that no target is named after would never be read.
int64_t count_strays(const fs::path& folder) {
  int64_t strays = 0;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    if (std::ranges::find(all_targets(), name, &Target::name) != all_targets().end()) continue;
    fmt::print("FAILED: {}: no fuzz target has this name\n", entry.string());
    ++strays;
  }
  return strays;
}

int64_t replay_all(const fs::path& folder) {
  int64_t failures = count_strays(folder / "seeds") + count_strays(folder / "broken"), inputs = 0;
  for (const Target& target : all_targets()) {
    std::set<fs::path> kept = entries_of(folder / "seeds" / target.name);
    if (kept.empty()) {
      fmt::print("FAILED: {}: no seed in it\n", (folder / "seeds" / target.name).string());
      ++failures;
    }
    kept.merge(entries_of(folder / "broken" / target.name));
    for (const fs::path& input : kept) failures += replay(target, input) ? 0 : 1;
    inputs += static_cast<int64_t>(kept.size());
  }
  fmt::print("{} inputs through {} targets, {} failures\n", inputs, all_targets().size(), failures);
  return failures;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    fmt::print(stderr, "usage: sgf_fuzz_replay FOLDER, which holds seeds/ and broken/\n");
    return 2;
  }
  limit_memory();
  return replay_all(words[1]) == 0 ? 0 : 1;
}
