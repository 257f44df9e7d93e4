// The fuzz targets in clang's libFuzzer: `sgf_fuzz --target=NAME [options and folders of libFuzzer]`, or `sgf_fuzz
// --list`.
#include "fuzz/fuzz_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace sgf::fuzz;

constexpr std::string_view kTargetFlag = "--target=";
constexpr uint32_t kStretchEvery = 256;  // mutations

const Target* chosen = nullptr;

void list_targets() {
  for (const Target& target : all_targets()) fmt::print("{}\n", target.name);
}

const Target* find_target(std::string_view name) {
  const auto found = std::ranges::find(all_targets(), name, &Target::name);
  return found == all_targets().end() ? nullptr : &*found;
}

// A piece of the input, repeated: what nests a thousand times, or is a megabyte long, is some steps away otherwise.
size_t stretch(uint8_t* data, size_t size, size_t max_size, std::minstd_rand& random) {
  const size_t begin = random() % size, length = 1 + random() % std::min<size_t>(size - begin, 64);
  const double share = std::uniform_real_distribution<double>()(random);
  const auto wanted = static_cast<size_t>(std::pow(static_cast<double>(max_size), share));
  if (wanted <= size) return size;
  const size_t copies = (wanted - size) / length, tail = size - begin;
  std::memmove(data + begin + copies * length, data + begin, tail);
  for (size_t i = 0; i < copies; ++i) std::memmove(data + begin + i * length, data + begin + copies * length, length);
  return size + copies * length;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::string_view word = (*argv)[i];
    if (word == "--list") {
      list_targets();
      std::exit(0);
    }
    if (word.starts_with(kTargetFlag)) chosen = find_target(word.substr(kTargetFlag.size()));
  }
  if (chosen == nullptr) {
    fmt::print(stderr, "sgf_fuzz: --target=NAME must name a fuzz target; these are:\n");
    list_targets();
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  run_target(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  std::minstd_rand random(seed);
  if (size == 0 || random() % kStretchEvery != 0) return LLVMFuzzerMutate(data, size, max_size);
  return stretch(data, size, max_size, random);
}
