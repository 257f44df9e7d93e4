// What hashes cost: a checkpoint written with and without them to the same disk, in turns, and read against them.
//   checkpoint_hashes FOLDER [GIGABYTES] [TURNS]
#include "sgf/files/checkpoint_hashes.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>

namespace sgf {
namespace {

constexpr size_t kTensorBytes = size_t{64} << 20;

// Seconds on the clock, and of the processor: the second number is steadier on a machine that others use too.
struct Spent {
  double clock = 0, processor = 0;
};

template <class Work>
Spent time_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Times {
  std::vector<double> plain, hashed, checked;    // seconds on the clock
  std::vector<double> ratios, processor_ratios;  // of hashed to plain, turn by turn
};

// The one and the other in changing order, so that neither always finds the disk busy with the other's bytes.
Times measure(const std::filesystem::path& file, const std::vector<OutgoingTensor>& tensors, int64_t turns) {
  std::map<std::string, std::string> stamped;
  stamp(stamped, "dit");
  Times times;
  const auto write = [&](const std::map<std::string, std::string>& metadata) {
    std::filesystem::remove(file);
    return time_of([&] { write_safetensors(file, tensors, metadata); });
  };
  for (int64_t turn = 0; turn < turns; ++turn) {
    Spent plain, hashed;
    if (turn % 2 == 0) plain = write({});
    hashed = write(stamped);
    times.checked.push_back(time_of([&] { open_checkpoint(file, "dit"); }).clock);
    if (turn % 2 == 1) plain = write({});
    times.plain.push_back(plain.clock);
    times.hashed.push_back(hashed.clock);
    times.ratios.push_back(hashed.clock / plain.clock);
    times.processor_ratios.push_back(hashed.processor / plain.processor);
  }
  std::filesystem::remove(file);
  return times;
}

void print_times(const Times& times, double gigabytes) {
  fmt::print("{:.2f} GB, {} turns, medians\n", gigabytes, times.plain.size());
  fmt::print("plain    {:.2f} GB/s\n", gigabytes / median(times.plain));
  fmt::print("hashed   {:.2f} GB/s, {:.3f} times as long, {:.3f} times the processor's time\n",
             gigabytes / median(times.hashed), median(times.ratios), median(times.processor_ratios));
  fmt::print("checked  {:.2f} GB/s when opened, from the page cache\n", gigabytes / median(times.checked));
}

void run(const std::filesystem::path& folder, double gigabytes, int64_t turns) {
  std::vector<std::byte> bytes(kTensorBytes + 4096);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  std::vector<OutgoingTensor> tensors;
  const auto count = std::max<int64_t>(1, static_cast<int64_t>(gigabytes * 1e9 / kTensorBytes));
  for (int64_t i = 0; i < count; ++i)
    tensors.push_back(outgoing_bytes(fmt::format("w{}", i), DType::kU8, {kTensorBytes},
                                     std::span(bytes).subspan(static_cast<size_t>(i % 4096), kTensorBytes)));
  print_times(measure(folder / "checkpoint_hashes.safetensors", tensors, turns),
              static_cast<double>(count) * kTensorBytes / 1e9);
}

}  // namespace
}  // namespace sgf

int main(int argc, char** argv) {
  try {
    sgf::run(argc > 1 ? argv[1] : ".", argc > 2 ? std::atof(argv[2]) : 2, argc > 3 ? std::atoll(argv[3]) : 7);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "checkpoint_hashes: {}\n", error.what());
    return 1;
  }
}
